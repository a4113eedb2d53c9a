/** One usable line of a known_hosts file. */
export interface KnownHostLine {
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  readonly marker: "revoked" | "cert-authority" | undefined;
  /** The first field as it stands: patterns divided by commas, or one hashed name. */
  readonly hosts: string;
  readonly keyType: string;
  /** The public key as it goes over the wire. */
  readonly key: Buffer;
}

/** Reads what sshd(8) calls the SSH_KNOWN_HOSTS format. Lines that cannot be read count for nothing, as with OpenSSH. */
export function parseKnownHosts(file: string, text: string): KnownHostLine[] {
  return text.split("\n").flatMap((line, index) => parseLine(file, index + 1, line) ?? []);
}

function parseLine(file: string, line: number, text: string): KnownHostLine | undefined {
  if (/^\s*(#|$)/.test(text)) return undefined;
  const fields = text.trim().split(/[ \t]+/);
  const marker = fields[0]?.startsWith("@") ? fields.shift() : undefined;
  const [hosts, keyType, encoded] = fields;
  if (marker !== undefined && marker !== "@revoked" && marker !== "@cert-authority") return undefined;
  if (hosts === undefined || keyType === undefined || encoded === undefined) return undefined;
  const key = Buffer.from(encoded, "base64");
  // The name inside the key is the one that counts; a line where the two differ is damaged.
  if (publicKeyType(key) !== keyType) return undefined;
  return { file, line, marker: marker?.slice(1) as KnownHostLine["marker"], hosts, keyType, key };
}

/** The type that a public key in wire format says it has, or undefined if this is not a public key. */
export function publicKeyType(key: Buffer): string | undefined {
  if (key.length < 4) return undefined;
  const length = key.readUInt32BE(0);
  return length > 0 && length <= 64 && key.length > 4 + length ? key.toString("latin1", 4, 4 + length) : undefined;
}
