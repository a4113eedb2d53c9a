import "../../support/no-leftovers.ts";
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { parseHostList } from "../../../src/cli/pair/hosts/host-list.ts";
import { hostsOfGroup } from "../../../src/cli/pair/hosts/inventory.ts";
import { checkHosts, wishesFor } from "../../../src/cli/pair/hosts/wanted-hosts.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { ChatHome } from "./fixtures/chat-home.ts";

/** As ansible-inventory --list prints it. */
const inventory = {
  _meta: {
    hostvars: {
      "web1.example.org": { ansible_host: "10.0.0.1", ansible_user: "deploy", ansible_port: 2222 },
      "web2.example.org": { ccm_label: "web-two", ansible_port: "2200", ansible_host: "fd00::2" },
      "db.example.org": { ccm_ssh_address: "db-alias", ansible_host: "10.0.0.9" },
      localhost: { ansible_connection: "local" },
    },
  },
  all: { children: ["ungrouped", "servers"] },
  ungrouped: { hosts: ["localhost"] },
  servers: { children: ["web", "db"] },
  web: { hosts: ["web1.example.org", "web2.example.org"] },
  db: { hosts: ["db.example.org"] },
};

test("a list has a host a line, perhaps its label, comments and empty lines", () => {
  const { hosts, problems } = parseHostList("# ours\nweb1\n\n  deploy@web2:2222\tweb-two  # the old one\r\nweb#3\n", "hosts.txt");
  assert.deepEqual(problems, []);
  assert.deepEqual(
    hosts.map(({ host, label, where }) => [host, label, where]),
    [
      ["web1", undefined, "hosts.txt, line 2"],
      ["deploy@web2:2222", "web-two", "hosts.txt, line 4"],
      ["web#3", undefined, "hosts.txt, line 5"],
    ],
  );
});

test("a machine of an inventory is reached as its variables say, and this machine is left out", () => {
  const hosts = hostsOfGroup(inventory, "all", "fleet.json");
  assert.deepEqual(
    hosts.map(({ host, label, suggestedLabel }) => [host, label, suggestedLabel]),
    [
      ["deploy@10.0.0.1:2222", undefined, "web1"],
      ["[fd00::2]:2200", "web-two", "web2"],
      ["db-alias", undefined, "db"],
    ],
  );
  assert.equal(hostsOfGroup(inventory, "web", "fleet.json").length, 2);
  const unknown = { code: "usage", message: /no group wbe in fleet.json/, hint: "it has: ungrouped, servers, web, db" };
  for (const group of ["wbe", "_meta", "toString"]) {
    assert.throws(() => hostsOfGroup(inventory, group, "fleet.json"), { ...unknown, message: /no group/ }, group);
  }
  assert.throws(() => hostsOfGroup(inventory, "wbe", "fleet.json"), unknown);
  assert.throws(() => hostsOfGroup(inventory, "ungrouped", "fleet.json"), { message: /no host to pair/ });
});

test("a label that a machine has stays before one that an inventory only suggests", () => {
  const [web1 = { host: "" }] = hostsOfGroup(inventory, "web", "fleet.json");
  const known = { host: web1.host, label: "old-name" };
  assert.deepEqual(checkHosts([web1], {}, [known]).problems, []);
  assert.deepEqual(wishesFor(web1, { attest: "strip" }), { attest: "strip", label: undefined, suggestedLabel: "web1" });
});

test("two machines that want one label, and one named twice with two labels, are problems where they stand", () => {
  const { hosts } = parseHostList("web1\nweb1\nweb1.example.org\nweb2 two\nweb2 zwei\n", "h");
  const checked = checkHosts(hosts, {}, []);
  assert.deepEqual(
    checked.hosts.map(({ host }) => host),
    ["web1", "web2"],
  );
  assert.deepEqual(
    checked.problems.map(({ where, error }) => `${where}: ${error.message}`),
    ["h, line 3: the label web1 belongs to web1 already", "h, line 5: web2 is named twice, with different labels"],
  );
});

function fileWith(context: TestContext, name: string, content: string): string {
  const file = path.join(temporaryDirectory(context), name);
  fs.writeFileSync(file, content);
  return file;
}

test("an inventory is read by ansible's own command, and its bad hosts are named", async (context) => {
  const programs = temporaryDirectory(context);
  const hostvars = { bad: { ansible_host: "{{ elsewhere }}" }, worse: { ansible_user: "a b" } };
  const printed = JSON.stringify({ _meta: { hostvars }, all: { children: ["web"] }, web: { hosts: ["bad", "worse"] } });
  fs.writeFileSync(path.join(programs, "ansible-inventory"), `#!/bin/sh\n[ "$1 $2" = "--list -i" ] || exit 9\necho '${printed}'\n`, {
    mode: 0o755,
  });
  const file = fileWith(context, "hosts.ini", "[web]\nbad\nworse\n");
  const result = await new ChatHome(context, { PATH: programs }).ccm(["pair", "--inventory", file, "--group", "web"]);
  assert.deepEqual(result.stderr.replaceAll(file, "hosts.ini").split("\n").slice(0, 2), [
    'ccm: hosts.ini, bad: not a host: "{{ elsewhere }}"',
    'ccm: hosts.ini, worse: not a host: "a b@worse"',
  ]);
});
