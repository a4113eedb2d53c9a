import type { CommandModule } from "yargs";
import type { RunningApi } from "../../api/open-api.ts";
import type { ModeClass } from "../../claude/admission/consent.ts";
import { resolvePaths } from "../../core/paths.ts";
import { plainLine } from "../../core/plain-text.ts";
import { jsonOption } from "../options.ts";
import { print, printJson } from "../output/print.ts";
import { untilInterrupted } from "../output/until-interrupted.ts";

interface Arguments {
  readonly name: string;
  readonly socket: string | undefined;
  readonly listen: string | undefined;
  readonly mode: ModeClass | undefined;
  readonly json: boolean;
}

export const api: CommandModule<object, Arguments> = {
  command: "api",
  describe: "Serve the chat to programs: sessions, messages and events as HTTP on a Unix socket",
  builder: (yargs) =>
    yargs
      .options({
        name: { type: "string", requiresArg: true, default: "api", describe: "What sessions call it, and write to" },
        socket: { type: "string", requiresArg: true, describe: "Listen on this Unix socket instead of the usual one" },
        listen: {
          type: "string",
          requiresArg: true,
          describe: "Listen at ADDRESS:PORT of the loopback, with a token, instead of on a socket",
        },
        mode: {
          choices: ["prompting", "bypass"] as const,
          requiresArg: true,
          describe: "The permission class that its messages declare; by default none",
        },
        ...jsonOption,
      })
      .example("ccm api", "")
      .example("ccm api --listen 127.0.0.1:8414", ""),
  async handler({ name, socket, listen, mode, json }) {
    const [{ openApi }, { apiFiles }, { parseListenAddress }] = await Promise.all([
      import("../../api/open-api.ts"),
      import("../../api/api-files.ts"),
      import("../../api/listen-address.ts"),
    ]);
    const paths = resolvePaths();
    const files = apiFiles(paths, name);
    const address = listen === undefined ? undefined : parseListenAddress(listen);
    const socketPath = socket ?? (address === undefined ? files.socket : undefined);
    const interrupted = untilInterrupted();
    const running = await openApi({
      paths,
      environment: process.env,
      name,
      mode,
      socketPath,
      listen: address,
      tokenFile: files.token,
      onProblem: (problem) => process.stderr.write(`ccm api: ${plainLine(problem, 2_000)}\n`),
    });
    if (json) printJson(report(running, files.token));
    else print(describe(running, files.token));
    if (!interrupted.aborted) await new Promise((resolve) => interrupted.addEventListener("abort", resolve, { once: true }));
    await running.close();
    // What an inbox has not taken by now is not waited for.
    process.exit();
  },
};

function report({ name, address, socketPath, url }: RunningApi, tokenFile: string) {
  return { name, address, pid: process.pid, socket: socketPath, url, tokenFile: url === undefined ? undefined : tokenFile };
}

function describe({ name, socketPath, url }: RunningApi, tokenFile: string): string {
  const lines = [`in the chat as ${plainLine(name, 80)}`];
  if (socketPath !== undefined) lines.push(`socket ${socketPath}`, `try    curl --unix-socket ${socketPath} http://ccm/sessions`);
  if (url !== undefined) lines.push(`url    ${url}`, `token  in ${tokenFile}`);
  return lines.join("\n");
}
