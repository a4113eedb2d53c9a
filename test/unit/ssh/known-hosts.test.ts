import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHmac, randomBytes } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, suite, test } from "node:test";
import { hostKeyAlgorithms } from "../../../src/ssh/known-hosts/host-key-algorithms.ts";
import { readKnownHosts } from "../../../src/ssh/known-hosts/known-hosts.ts";
import { matchesHosts } from "../../../src/ssh/known-hosts/match-hosts.ts";
import { parseKnownHosts } from "../../../src/ssh/known-hosts/parse-known-hosts.ts";
import { verifyHostKey } from "../../../src/ssh/known-hosts/verify-host-key.ts";
import type { SshTarget } from "../../../src/ssh/ssh-target.ts";
import { defaultTarget } from "../../../src/ssh/target-from-configuration.ts";

const directory = fs.mkdtempSync(path.join(os.tmpdir(), "ccm-known-hosts-"));
after(() => fs.rmSync(directory, { recursive: true }));

/** A key in wire format; which one does not matter here. */
function wireKey(type = "ssh-ed25519"): Buffer {
  const field = (bytes: Buffer): Buffer => Buffer.concat([Buffer.from(Uint32Array.of(bytes.length).buffer).reverse(), bytes]);
  return Buffer.concat([field(Buffer.from(type)), field(randomBytes(32))]);
}

const right = wireKey();
const wrong = wireKey();
const rsa = wireKey("ssh-rsa");

function line(hosts: string, key: Buffer, marker = ""): string {
  return `${marker}${hosts} ${key.toString("latin1", 4, 4 + key.readUInt32BE(0))} ${key.toString("base64")} a comment\n`;
}

function hashed(name: string): string {
  const salt = randomBytes(20);
  return `|1|${salt.toString("base64")}|${createHmac("sha1", salt).update(name).digest("base64")}`;
}

/** The verdict on `right` from `host`, for a file (or several) with this content: undefined for trusted. */
function verdict(
  content: string | string[],
  changes: Partial<SshTarget> = {},
  shown = right,
): { code: string; message: string } | undefined {
  const files = [content].flat().map((text, index) => {
    const file = path.join(directory, `known_hosts_${index}`);
    fs.writeFileSync(file, text);
    return file;
  });
  const target = { ...defaultTarget("host", { host: "host", user: "me", port: undefined }, {}), knownHostsFiles: files, ...changes };
  try {
    verifyHostKey(target, readKnownHosts(target), shown);
    return undefined;
  } catch (error) {
    return error as { code: string; message: string };
  }
}

suite("S1 known_hosts", () => {
  test("trusts plain, listed, hashed, upper-case and wildcard entries with the very key", () => {
    for (const hosts of ["host", "other,host,10.0.0.1", hashed("host"), "HOST", "h?st", "*", "ho*t,!nobody"]) {
      assert.equal(verdict(line(hosts, right)), undefined, hosts);
    }
  });

  test("does not know a host that no line means", () => {
    for (const hosts of ["hos", "hostt", "host.example", hashed("other"), "*,!host", "!host", "h?s", "|1|x|y", "|2|a|b", "[host]:22"]) {
      assert.equal(verdict(line(hosts, right))?.code, "host_key_unknown", hosts);
    }
    assert.equal(verdict("")?.code, "host_key_unknown");
  });

  test("a changed key is named with file and line, and how to remove it", () => {
    const error = verdict(`# comment\n\n${line("other", wrong)}${line("host", wrong)}`);
    assert.equal(error?.code, "host_key_changed");
    assert.match(error?.message ?? "", /host.*CHANGED.*SHA256:.*known_hosts_0:4 says ED25519 SHA256:/);
    assert.match((error as unknown as { hint: string }).hint, /ssh-keygen -f ".*known_hosts_0" -R "host"/);
  });

  test("one of several keys for the host is enough, in whichever file", () => {
    assert.equal(verdict([line("host", wrong), line("host", right)]), undefined);
  });

  test("a key of another type than the known one is a change of type", () => {
    const error = verdict(line("host", rsa));
    assert.equal(error?.code, "host_key_changed");
    assert.match(error?.message ?? "", /CHANGED its type.*ED25519.*known_hosts_0:1 knows RSA/);
  });

  test("a revoked key is refused even where another line trusts it, in any file", () => {
    for (const content of [
      [line("host", right) + line("*", right, "@revoked ")],
      [line("host", right), line(hashed("host"), right, "@revoked ")],
    ]) {
      assert.equal(verdict(content)?.code, "host_key_revoked");
    }
    assert.equal(verdict(line("host", right) + line("host", wrong, "@revoked ")), undefined);
    assert.equal(verdict(line("host", right) + line("other", right, "@revoked ")), undefined);
  });

  test("a certificate authority never vouches for a plain key, not even for its own", () => {
    const error = verdict(line("host", right, "@cert-authority "));
    assert.equal(error?.code, "host_key_unknown");
    assert.match(error?.message ?? "", /known_hosts_0:1 trusts only certificates/);
  });

  test("another port has its own name; the bare name vouches only with the very key", () => {
    const port = { port: 2222 };
    assert.equal(verdict(line("[host]:2222", right), port), undefined);
    assert.equal(verdict(line(hashed("[host]:2222"), right), port), undefined);
    assert.equal(verdict(line("[host]:2223", right), port)?.code, "host_key_unknown");
    assert.equal(verdict(line("host", right), port), undefined);
    assert.equal(verdict(line("host", wrong), port)?.code, "host_key_unknown");
    assert.equal(verdict(line("[host]:2222", wrong) + line("host", right), port)?.code, "host_key_changed");
    assert.equal(verdict(line("[host]:2222", right) + line("host", right, "@revoked "), port)?.code, "host_key_revoked");
  });

  test("HostKeyAlias is the name, whatever host and port are", () => {
    const alias = { hostKeyAlias: "Prod", port: 2222 };
    assert.equal(verdict(line("prod", right), alias), undefined);
    assert.equal(verdict(line("[host]:2222", right), alias)?.code, "host_key_unknown");
  });

  test("damaged lines, unknown markers and keys under a false type count for nothing", () => {
    const encoded = right.toString("base64");
    for (const text of [
      "host ssh-ed25519",
      "host",
      `host ssh-rsa ${encoded}`,
      "host ssh-ed25519 ????",
      `@other host ssh-ed25519 ${encoded}`,
      `host ssh-ed25519 ${encoded.slice(0, 8)}`,
    ]) {
      assert.deepEqual(parseKnownHosts("file", text), [], text);
    }
    assert.equal(parseKnownHosts("file", `  host\tssh-ed25519  ${encoded}\r\n`).length, 1);
  });

  test("a missing file is empty; one that cannot be read refuses everything", () => {
    const missing = path.join(directory, "missing");
    assert.equal(verdict("", { knownHostsFiles: [missing, path.join(missing, "below")] })?.code, "host_key_unknown");
    const error = verdict("", { knownHostsFiles: [directory] });
    assert.equal(error?.code, "known_hosts_unreadable");
    assert.match(error?.message ?? "", /EISDIR/);
  });

  test("a pattern of many stars ends at once", () => {
    assert.equal(matchesHosts(`${"*a".repeat(2000)}b`, "a".repeat(4000)), false);
  });

  test("asks for what is known first, within the configuration's wishes", () => {
    const known = { name: "host", portlessLines: [], lines: parseKnownHosts("file", line("host", rsa)) };
    assert.deepEqual(hostKeyAlgorithms(known, undefined).slice(0, 3), ["rsa-sha2-512", "rsa-sha2-256", "ssh-ed25519"]);
    assert.deepEqual(hostKeyAlgorithms(known, ["ssh-ed25519", "ssh-rsa", "rsa-sha2-256"]), ["rsa-sha2-256", "ssh-ed25519"]);
    assert.deepEqual(hostKeyAlgorithms(known, ["ssh-rsa"]), []);
  });

  test("finds what ssh-keygen -H has hashed", { skip: hasSshKeygen() }, () => {
    const file = path.join(directory, "to-hash");
    const key = path.join(directory, "key");
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", key]);
    const [type, encoded] = fs.readFileSync(`${key}.pub`, "utf8").split(" ");
    fs.writeFileSync(file, `host,[host]:2222 ${type} ${encoded}\n`);
    execFileSync("ssh-keygen", ["-q", "-H", "-f", file], { stdio: "ignore" });
    const content = fs.readFileSync(file, "utf8");
    assert.match(content, /^\|1\|/);
    assert.equal(verdict(content, {}, Buffer.from(encoded ?? "", "base64")), undefined);
    assert.equal(verdict(content, { port: 2222 }, Buffer.from(encoded ?? "", "base64")), undefined);
  });
});

function hasSshKeygen(): string | false {
  const found = (process.env.PATH ?? "").split(":").some((folder) => fs.existsSync(path.join(folder, "ssh-keygen")));
  return found ? false : "there is no ssh-keygen here";
}
