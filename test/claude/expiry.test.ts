import assert from "node:assert/strict";
import { test } from "node:test";
import "../support/no-leftovers.ts";
import { EXPIRY_MS, letExpire } from "./conformance/expire.ts";
import { fetchClaude, protocolVersions, whyNoVersion } from "./harness/fetch-claude.ts";

// Side by side: what takes the time is waiting.
test("a held message expires", { concurrency: true, timeout: 240_000 }, async (t) => {
  const each = protocolVersions.map(async (version) =>
    t.test(
      `at Claude Code ${version} after ${EXPIRY_MS / 1000} s, the least that dialogExpiry can be`,
      { skip: await whyNoVersion(version) },
      async () => {
        const receipts = await letExpire(await fetchClaude(version));
        assert.deepEqual(
          receipts.map(({ status, status_detail }) => [status, status_detail]),
          [
            ["held", undefined],
            ["expired", undefined],
          ],
        );
      },
    ),
  );
  await Promise.all(each);
});
