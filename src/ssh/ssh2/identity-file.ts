import fs from "node:fs";
import ssh2, { type ParsedKey } from "ssh2";
import { systemErrorCode } from "../../core/errors.ts";

/** What an IdentityFile of the configuration turned out to be. */
export type Identity =
  | { readonly state: "usable"; readonly file: string; readonly key: ParsedKey; readonly publicKey: Buffer }
  | { readonly state: "locked"; readonly file: string; readonly publicKey: Buffer | undefined }
  | { readonly state: "public-only"; readonly file: string; readonly publicKey: Buffer }
  | { readonly state: "unusable"; readonly file: string; readonly reason: string }
  | { readonly state: "missing"; readonly file: string };

/** Never throws and never asks for a passphrase: a key with one is `locked`, and an agent may hold it. */
export function readIdentityFile(file: string): Identity {
  try {
    if (isOpenToOthers(file)) return { state: "unusable", file, reason: "others can read it; ssh wants mode 0600" };
    return classify(file, fs.readFileSync(file));
  } catch (error) {
    if (systemErrorCode(error) !== "ENOENT") return { state: "unusable", file, reason: systemErrorCode(error) ?? "unreadable" };
    const publicKey = readPublicHalf(file);
    return publicKey ? { state: "public-only", file, publicKey } : { state: "missing", file };
  }
}

function classify(file: string, content: Buffer): Identity {
  const parsed = ssh2.utils.parseKey(content);
  const key = Array.isArray(parsed) ? parsed[0] : parsed;
  if (key === undefined) return { state: "unusable", file, reason: "there is no key in it" };
  if (!(key instanceof Error)) {
    const publicKey = key.getPublicSSH();
    return key.isPrivateKey() ? { state: "usable", file, key, publicKey } : { state: "public-only", file, publicKey };
  }
  if (/encrypted|passphrase/i.test(key.message)) {
    return { state: "locked", file, publicKey: readPublicHalf(file) ?? publicHalfInside(content) };
  }
  return { state: "unusable", file, reason: "not a private key that ccm can read" };
}

/** As ssh: only a file of our own is judged. */
function isOpenToOthers(file: string): boolean {
  const stat = fs.statSync(file);
  return stat.uid === process.getuid?.() && (stat.mode & 0o077) !== 0 && !file.endsWith(".pub");
}

function readPublicHalf(file: string): Buffer | undefined {
  try {
    const encoded = fs.readFileSync(`${file}.pub`, "utf8").trim().split(/\s+/)[1];
    return encoded === undefined ? undefined : Buffer.from(encoded, "base64");
  } catch {
    return undefined;
  }
}

/** In OpenSSH's own format the public key stands in the clear before the encrypted part. */
function publicHalfInside(content: Buffer): Buffer | undefined {
  const encoded = /-----BEGIN OPENSSH PRIVATE KEY-----([\s\S]*?)-----END/.exec(content.toString("latin1"))?.[1];
  const bytes = Buffer.from(encoded ?? "", "base64");
  let offset = "openssh-key-v1\0".length;
  const take = (): Buffer => {
    const length = bytes.readUInt32BE(offset);
    offset += 4 + length;
    return bytes.subarray(offset - length, offset);
  };
  try {
    take(); // cipher
    take(); // key derivation
    take(); // its options
    offset += 4; // the number of keys
    return take();
  } catch {
    return undefined;
  }
}
