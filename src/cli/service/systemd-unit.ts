import type { ServiceProgram } from "./service-manager.ts";

/** The daemon's exit code where another one runs already (`already_running`): no reason to try again. */
const ANOTHER_RUNS = 21;

/** A user unit. The daemon says on stderr what it logs, which is the journal's. */
export function systemdUnit({ executable, environment }: ServiceProgram): string {
  const variables = Object.entries({ ...environment, CCM_SERVICE: "1" });
  return [
    "[Unit]",
    "Description=Claude Code sessions of all paired machines in one group chat",
    "",
    "[Service]",
    // In a command line, and there alone, a variable would be expanded too.
    `ExecStart=${quote(executable).replaceAll("$", "$$$$")} daemon`,
    ...variables.map(([name, value]) => `Environment=${quote(`${name}=${value}`)}`),
    "Restart=on-failure",
    "RestartSec=2",
    `RestartPreventExitStatus=${ANOTHER_RUNS}`,
    "# Links and mirrors are closed in order; the mirrors end with the daemon.",
    "KillMode=mixed",
    "TimeoutStopSec=20",
    "",
    "[Install]",
    "WantedBy=default.target",
    "",
  ].join("\n");
}

/** As one word of a unit file, in which no specifier is expanded. */
function quote(word: string): string {
  return `"${word.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("%", "%%")}"`;
}
