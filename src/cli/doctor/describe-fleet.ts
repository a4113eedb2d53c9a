import type { Style } from "../output/style.ts";
import { type Cell, renderTable } from "../output/table.ts";
import { count } from "../output/units.ts";
import { describeFinding, summary } from "./describe-findings.ts";
import type { MachineHealth } from "./examine-fleet.ts";

/** A line for each machine, under it what has to be mended there, and the sum at the end. Warnings are counted. */
export function describeFleet(machines: readonly MachineHealth[], style: Style): string {
  const rows = renderTable(machines.map((machine) => fleetRow(machine, style))).split("\n");
  const lines = machines.flatMap(({ findings }, index) => [
    rows[index] ?? "",
    ...findings.filter(({ level }) => level === "fail").flatMap((finding) => describeFinding(finding, style).map((line) => `    ${line}`)),
  ]);
  return [...lines, "", fleetSummary(machines)].join("\n");
}

function fleetRow(machine: MachineHealth, style: Style): Cell[] {
  const paints = { ok: style.good, warn: style.warning, fail: style.bad, unreached: style.bad, away: style.warning };
  return [
    { text: machine.machine, paint: style.strong },
    { text: machine.link, paint: machine.link === "linked" || machine.link === "here" ? style.good : style.warning },
    { text: machine.version === undefined ? "" : `ccm ${machine.version}`, paint: style.quiet },
    { text: machine.problem ?? summary(machine.findings), paint: paints[machine.result] },
  ];
}

function fleetSummary(machines: readonly MachineHealth[]): string {
  const having = (result: MachineHealth["result"]) => machines.filter((machine) => machine.result === result).length;
  const parts = [
    [having("fail"), "with something to mend"],
    [having("unreached"), "not reached"],
    [having("warn"), "with warnings"],
    [having("away"), "away"],
  ].flatMap(([number, what]) => (number === 0 ? [] : [`${number} ${what}`]));
  return `${count(machines.length, "machine")}: ${parts.length === 0 ? "all is well" : parts.join(", ")}`;
}
