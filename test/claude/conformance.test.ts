import assert from "node:assert/strict";
import { test } from "node:test";
import "../support/no-leftovers.ts";
import { allChecks } from "../../src/selftest/checks/all-checks.ts";
import { runSelftest } from "../../src/selftest/run-selftest.ts";
import { peerChecks } from "./conformance/peer-checks.ts";
import { policyChecks } from "./conformance/policy-checks.ts";
import { fetchClaude, protocolVersions, whyNoVersion } from "./harness/fetch-claude.ts";

/** Where versions differ, and nothing of ours depends on it. */
const particulars: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "hop.mark": {
    "2.1.269": "a chain with 10 marks of the receiver is dropped, hop-loop",
    "2.1.282": "a chain with 10 marks of the receiver is dropped, hop-loop",
    "2.1.332": "a chain with 10 marks of the receiver is taken",
  },
  "hold.plugin": { "2.1.269": "opaque: held", "2.1.282": "part of it", "2.1.332": "part of it" },
};

for (const version of protocolVersions) {
  test(`the protocol as Claude Code ${version} speaks it`, { skip: await whyNoVersion(version), timeout: 300_000 }, async (t) => {
    const checks = [...allChecks, ...policyChecks, ...peerChecks];
    const startedMs = performance.now();
    const done = await runSelftest({ claude: await fetchClaude(version), checks, onResult: () => {} });
    t.diagnostic(`${version}: ${checks.length} checks in ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
    assert.equal(done?.result.version, version);
    for (const { check, outcome } of done?.result.results ?? []) {
      await t.test(`${check.name}: ${check.relies}`, () => {
        assert.equal(outcome.kind, "holds", outcome.detail ?? "");
        const particular = particulars[check.name]?.[version];
        if (particular !== undefined) assert.equal(outcome.detail, particular);
      });
    }
  });
}
