import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { describeFleet } from "../../../src/cli/doctor/describe-fleet.ts";
import { fleetExitCode, type MachineHealth } from "../../../src/cli/doctor/examine-fleet.ts";
import { parseFindings } from "../../../src/cli/doctor/parse-findings.ts";
import { plainStyle } from "../../../src/cli/output/style.ts";

const fine: MachineHealth = { machine: "hub", link: "here", version: "0.1.0", result: "ok", findings: [] };

test("a machine that dials us and is away, and one of an older build, are no failures", () => {
  const away: MachineHealth = { machine: "laptop", link: "offline", result: "away", findings: [], problem: "it is not linked" };
  const old: MachineHealth = {
    machine: "old",
    link: "linked",
    version: "0.0.9",
    result: "warn",
    findings: [],
    problem: "it cannot be asked",
  };
  assert.equal(fleetExitCode([fine, away, old]), 0);
  assert.equal(
    describeFleet([fine, away, old], plainStyle),
    `hub     here     ccm 0.1.0  all is well
laptop  offline             it is not linked
old     linked   ccm 0.0.9  it cannot be asked

3 machines: 1 with warnings, 1 away`,
  );
});

test("under a machine stands what has to be mended there, and nothing that it says is more than a line", () => {
  const sent = [
    { check: "hooks", level: "fail", detail: "gone\u001b[2J\nrm -rf", fix: "ccm init" },
    { check: "later_check", level: "dire", detail: 7 },
    "no finding",
  ];
  const findings = parseFindings(sent) ?? [];
  assert.equal(
    describeFleet([fine, { machine: "web", link: "linked", version: "0.1.0", result: "fail", findings }], plainStyle),
    `hub  here    ccm 0.1.0  all is well
web  linked  ccm 0.1.0  1 to mend, 1 warning
    fail  hooks: gone rm -rf
          → ccm init

2 machines: 1 with something to mend`,
  );
  assert.equal(parseFindings({ findings: [] }), undefined);
});
