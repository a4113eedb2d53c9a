import path from "node:path";
import { CcmError } from "../../core/errors.ts";
import { expandHostTokens } from "../expand-tokens.ts";
import { matchesHosts } from "../known-hosts/match-hosts.ts";
import { homeDirectory, userName } from "../local-user.ts";
import type { SshConfiguration } from "../ssh-configuration.ts";
import type { TypedHost } from "../typed-host.ts";
import { type MatchContext, matchesCriteria } from "./match-criteria.ts";
import { type ConfigFile, type Directive, readConfigFile } from "./read-config-files.ts";

export interface EvaluateOptions {
  readonly env: NodeJS.ProcessEnv;
  /** The jumps of somebody's ProxyJump lead here and win over this host's own. */
  readonly isReachedByJumps: boolean;
  /** The system's file; for tests. */
  readonly systemFile?: ConfigFile;
}

const SYSTEM_FILE: ConfigFile = { file: "/etc/ssh/ssh_config", directory: "/etc/ssh" };
/** All values of these count, not only the first. */
const REPEATED = new Set(["identityfile", "certificatefile"]);
const COMMANDS = new Set(["proxycommand", "knownhostscommand"]);

/**
 * What `ssh -G` would print, for a machine without an ssh command: the person's and the system's configuration files, with Include, Host
 * and Match. Rejects with `ssh_config_unsupported` for what would have to be guessed.
 */
export async function evaluateConfigFiles(host: TypedHost, options: EvaluateOptions): Promise<SshConfiguration> {
  const home = homeDirectory(options.env);
  const userDirectory = path.join(home, ".ssh");
  const files = [{ file: path.join(userDirectory, "config"), directory: userDirectory }, options.systemFile ?? SYSTEM_FILE];
  const directives = files.flatMap((file) => readConfigFile(file, home));
  const evaluation = new Evaluation(host, options);
  await evaluation.read(directives, false);
  if (evaluation.wantsFinalPass) await evaluation.read(directives, true);
  return evaluation.result(userDirectory);
}

class Evaluation {
  readonly #host: TypedHost;
  readonly #env: NodeJS.ProcessEnv;
  readonly #settings = new Map<string, string[]>();
  wantsFinalPass = false;

  constructor(host: TypedHost, { env, isReachedByJumps }: EvaluateOptions) {
    this.#host = host;
    this.#env = env;
    if (host.user !== undefined) this.#settings.set("user", [host.user]);
    if (host.port !== undefined) this.#settings.set("port", [String(host.port)]);
    if (isReachedByJumps) this.#settings.set("proxyjump", ["none"]);
  }

  /** In order: the first value of a keyword stands. What a Host or a Match holds counts where it matches. */
  async read(directives: readonly Directive[], isFinalPass: boolean): Promise<void> {
    const context = this.#context(isFinalPass);
    for (const directive of directives) {
      const { keyword, words, children } = directive;
      if (keyword === "include") await this.read(children, isFinalPass);
      else if (keyword === "host") {
        if (matchesHosts(words.join(","), this.#host.host.toLowerCase())) await this.read(children, isFinalPass);
      } else if (keyword === "match") {
        if (await matchesCriteria(directive, context)) await this.read(children, isFinalPass);
      } else this.#set(directive);
    }
  }

  result(userDirectory: string): SshConfiguration {
    const settings = this.#settings;
    settings.set("hostname", [this.#hostName()]);
    const fallback = (keyword: string, ...values: string[]): void => {
      if (!settings.has(keyword)) settings.set(keyword, values);
    };
    const inHome = (names: readonly string[]): string[] => names.map((name) => path.join(userDirectory, name));
    fallback("port", "22");
    fallback("identityfile", ...inHome(["id_rsa", "id_ecdsa", "id_ecdsa_sk", "id_ed25519", "id_ed25519_sk"]));
    fallback("userknownhostsfile", ...inHome(["known_hosts", "known_hosts2"]));
    fallback("globalknownhostsfile", "/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2");
    return settings;
  }

  #set({ keyword, words, text, file }: Directive): void {
    if (keyword === "canonicalizehostname" && !/^(no|none)$/i.test(text)) throw unsupported(`CanonicalizeHostname ${text} in ${file}`);
    const value = normalized(keyword, COMMANDS.has(keyword) ? text : words.join(" "));
    if (value === undefined) return;
    // One route: a ProxyJump and a ProxyCommand exclude each other, and the first of them stands.
    const rival = { proxyjump: "proxycommand", proxycommand: "proxyjump" }[keyword];
    if (rival !== undefined && this.#settings.has(rival)) return;
    const values = this.#settings.get(keyword);
    if (values === undefined) this.#settings.set(keyword, [value]);
    else if (REPEATED.has(keyword) && !values.includes(value)) values.push(value);
  }

  #context(isFinalPass: boolean): MatchContext {
    const user = (): string => this.#settings.get("user")?.[0] ?? userName(this.#env);
    const port = (): number => Number(this.#settings.get("port")?.[0] ?? 22);
    return {
      alias: this.#host.host,
      isFinalPass,
      host: () => this.#hostName(),
      user,
      localUser: userName(this.#env),
      expand: (text) => expandHostTokens(text, { alias: this.#host.host, host: this.#hostName(), port: port(), user: user() }),
      wantFinalPass: () => {
        this.wantsFinalPass = true;
      },
      env: this.#env,
    };
  }

  #hostName(): string {
    const { host } = this.#host;
    const name = this.#settings.get("hostname")?.[0] ?? host;
    return name.replace(/%([%h])/g, (_whole, token: string) => (token === "h" ? host : "%")).toLowerCase();
  }
}

/** As `ssh -G` prints it; undefined for a value that only adds to defaults of ours. */
function normalized(keyword: string, value: string): string | undefined {
  if (/^(true|yes)$/i.test(value)) return "yes";
  if (/^(false|no)$/i.test(value)) return "no";
  if (keyword === "connecttimeout") return seconds(value);
  if (!/algorithms$/.test(keyword)) return value;
  if (value.startsWith("+")) return undefined;
  if (/^[-^]/.test(value)) throw unsupported(`${keyword} ${value}`);
  return value;
}

function seconds(value: string): string {
  const [, amount = "0", unit = ""] = /^(\d+)([smhdw]?)$/i.exec(value) ?? [];
  const factor = { "": 1, s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 }[unit.toLowerCase()] ?? 1;
  return String(Number(amount) * factor);
}

function unsupported(setting: string): CcmError {
  return new CcmError("ssh_config_unsupported", `without an ssh command ccm cannot do what the configuration asks for: ${setting}`, {
    hint: "install OpenSSH's client: ccm then has ssh read its configuration",
  });
}
