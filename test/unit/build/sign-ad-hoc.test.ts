import assert from "node:assert/strict";
import { test } from "node:test";
import { readMachO } from "../../../build/mach-o.ts";
import { signAdHoc, signatureProblem } from "../../../build/sign-ad-hoc.ts";
import { smallMachO } from "./small-mach-o.ts";

test("a signed file has a signature of every page behind its link-edit data, inside that segment", () => {
  const unsigned = smallMachO();
  const signed = signAdHoc(unsigned, "ccm");
  assert.equal(signatureProblem(signed), undefined);
  const { signature, segments } = readMachO(signed);
  const linkEdit = segments.at(-1);
  assert.equal(signature?.offset, 0x2000 + 1008);
  assert.equal((linkEdit?.fileOffset ?? 0) + (linkEdit?.fileSize ?? 0), signed.length);
  assert.ok(signed.subarray(0x1000, 0x2000 + 1001).equals(unsigned.subarray(0x1000)));
});

test("a byte that changes after signing is found, in the header and in the code", () => {
  for (const at of [24, 0x1800]) {
    const signed = signAdHoc(smallMachO(), "ccm");
    signed[at] = (signed[at] ?? 0) ^ 1;
    assert.equal(signatureProblem(signed), "a page differs from what was signed");
  }
  assert.equal(signatureProblem(smallMachO()), "it has no signature");
});

test("signing again gives the same file: a signature that is there is replaced", () => {
  const signed = signAdHoc(smallMachO(), "ccm");
  assert.ok(signAdHoc(signed, "ccm").equals(signed));
  assert.equal(signatureProblem(signAdHoc(signed, "another")), undefined);
});

test("a header without room for the load command is refused", () => {
  assert.throws(() => signAdHoc(smallMachO({ room: 8 }), "ccm"), /no room/);
});
