import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { requireTool } from "./prerequisites.ts";
import { runChecked } from "./run-command.ts";

/** The person whose sessions run on every host. Known only there: this machine's own /etc is not touched. */
export const person = { name: "ccmdev", uid: 1500, home: "/home/ccmdev", runtimeDirectory: "/run/user/1500" } as const;

export interface HostFilesOptions {
  readonly name: string;
  /** Something that no other run has; with the name it makes the machine-id. */
  readonly networkId: string;
  readonly loginShell: string;
  readonly sshdOptions: readonly string[];
  readonly runtimeDirectory: boolean;
  /** The key pair of the person, who has the same one everywhere: private key file, with the public one beside it. */
  readonly personKey: string;
  /** Whether the person has that key here, to log in elsewhere. */
  readonly hasKey: boolean;
}

/** Writes what a host finds in its /etc and in its person's home under `directory`; returns the host's public ssh key. */
export async function writeHostFiles(directory: string, options: HostFilesOptions): Promise<string> {
  const etc = path.join(directory, "etc");
  const ssh = path.join(directory, "home", ".ssh");
  fs.mkdirSync(etc, { recursive: true, mode: 0o755 });
  fs.mkdirSync(ssh, { recursive: true, mode: 0o700 });

  const hostKey = path.join(etc, "ccm-host-key");
  await createKey(hostKey, options.name);
  const write = (name: string, content: string, mode = 0o644) => fs.writeFileSync(path.join(etc, name), content, { mode });
  write("machine-id", `${createHash("md5").update(`${options.networkId} ${options.name}`).digest("hex")}\n`);
  write("hostname", `${options.name}\n`);
  // Names come from /etc/hosts alone, so that one which nobody has is refused at once, without asking a resolver.
  write("nsswitch.conf", "passwd: files\ngroup: files\nshadow: files\nhosts: files\n");
  write("passwd", withPerson("/etc/passwd", 2, `${person.name}:x:${person.uid}:${person.uid}::${person.home}:${options.loginShell}`));
  write("group", withPerson("/etc/group", 2, `${person.name}:x:${person.uid}:`));
  write("shadow", withPerson("/etc/shadow", 0, `${person.name}:*:19000:0:99999:7:::`), 0o640);
  write("ccm-sshd_config", sshdConfig(options), 0o600);

  fs.copyFileSync(`${options.personKey}.pub`, path.join(ssh, "authorized_keys"));
  if (options.hasKey) {
    fs.copyFileSync(options.personKey, path.join(ssh, "id_ed25519"));
    fs.chmodSync(path.join(ssh, "id_ed25519"), 0o600);
    fs.copyFileSync(`${options.personKey}.pub`, path.join(ssh, "id_ed25519.pub"));
  }
  return publicKey(hostKey);
}

/** A new ed25519 key pair in `file` and `file`.pub. */
export async function createKey(file: string, comment: string): Promise<void> {
  await runChecked(requireTool("ssh-keygen"), ["-q", "-t", "ed25519", "-N", "", "-C", comment, "-f", file]);
}

/** Type and key, without the comment. */
function publicKey(file: string): string {
  return fs.readFileSync(`${file}.pub`, "utf8").split(" ").slice(0, 2).join(" ");
}

/** The machine's own file without whoever has the person's uid (or name, as `column` says), and with the person. */
function withPerson(file: string, column: number, line: string): string {
  const taken = line.split(":")[column];
  const lines = fs.readFileSync(file, "utf8").split("\n").filter(Boolean);
  return `${[...lines.filter((other) => other.split(":")[column] !== taken), line].join("\n")}\n`;
}

function sshdConfig(options: HostFilesOptions): string {
  // The first value of an option counts, so a test's own come first.
  const lines = [
    ...options.sshdOptions,
    "HostKey /etc/ccm-host-key",
    "PidFile /run/sshd.pid",
    "PasswordAuthentication no",
    "KbdInteractiveAuthentication no",
    "UsePAM no",
    "Subsystem sftp internal-sftp",
    // On a machine with systemd the login manager sets it.
    ...(options.runtimeDirectory ? [`SetEnv XDG_RUNTIME_DIR=${person.runtimeDirectory}`] : []),
  ];
  return `${lines.join("\n")}\n`;
}
