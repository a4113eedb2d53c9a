import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { redactSecrets } from "../../../src/core/redact-secrets.ts";

const letters = "aB3dE5gH7jK9mN1pQ2sT4vW6yZ8bC0fG";
const long = (length: number) => letters.repeat(8).slice(0, length);
const hex = (length: number) => "0f3a9c5b7d1e2468".repeat(8).slice(0, length);

/** Case X1, each with the part that must not be there any more. */
const secrets: readonly (readonly [name: string, text: string, secret: string])[] = [
  ["Anthropic", `use sk-ant-api03-${long(90)}AA now`, long(90)],
  ["Anthropic OAuth", `sk-ant-oat01-${long(80)}`, long(80)],
  ["OpenAI", `sk-${long(48)}`, long(48)],
  ["OpenAI project", `key sk-proj-${long(60)}_-${long(20)}`, long(60)],
  ...["ghp", "gho", "ghu", "ghs", "ghr"].map((prefix) => [`GitHub ${prefix}`, `push with ${prefix}_${long(36)}`, long(36)] as const),
  ["GitHub fine-grained", `github_pat_${long(22)}_${long(59)}`, long(59)],
  ...["glpat", "gldt", "glrt", "glptt"].map((prefix) => [`GitLab ${prefix}`, `${prefix}-${long(20)}`, long(20)] as const),
  ["AWS id", "AKIAIOSFODNN7EXAMPLE", "IOSFODNN7EXAMPLE"],
  ["AWS secret by name", "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "wJalrXUtnFEMI"],
  ["AWS secret in a sentence", "the aws secret is wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "wJalrXUtnFEMI"],
  ["Google", `AIza${long(35)}`, long(35)],
  ["Hugging Face", `hf_${long(34)}`, long(34)],
  ["npm", `npm_${long(36)}`, long(36)],
  ["Slack", `xoxb-123456789012-123456789012-${long(24)}`, long(24)],
  ["Slack hook", `https://hooks.slack.com/services/T0000/B0000/${long(24)}`, long(24)],
  ["SendGrid", `SG.${long(22)}.${long(43)}`, long(43)],
  ["Stripe", `sk_live_${long(24)}`, long(24)],
  ["JWT", `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.${long(43)}`, "eyJzdWIiOiIxIn0"],
  ["bearer", `curl -H "Authorization: Bearer ${long(24)}"`, long(24)],
  ["bearer without its header", `bearer ${long(24)}`, long(24)],
  ["basic", "Authorization: Basic dXNlcjpwYXNz", "dXNlcjpwYXNz"],
  ["basic without its header", "with basic dXNlcjpwYXNz please", "dXNlcjpwYXNz"],
  ["PEM", `-----BEGIN RSA PRIVATE KEY-----\n${long(64)}\n-----END RSA PRIVATE KEY-----`, long(64)],
  ["PEM on one line, cut", `-----BEGIN PRIVATE KEY----- ${long(64)}`, long(64)],
  ["URL", "postgres://app:s3cr3t@db/prod", "s3cr3t"],
  ["URL whose password has an @", "postgres://app:p@ss@db/prod", "p@ss"],
  ["URL without a user", "redis://:hunter2@cache:6379", "hunter2"],
  ["assignment", "PASSWORD=hunter", "hunter"],
  ["assignment in a name", "export DB_PASSWORD=correct", "correct"],
  ["YAML", "secret_key: abcdef", "abcdef"],
  ["option", "mysql --password x", " x"],
  ["option with =", "--api-key=abc", "abc"],
  ["quoted with spaces", 'password = "correct horse battery"', "horse"],
  ["quoted, single", "PASSPHRASE='correct horse'", "horse"],
  ["JSON", '{"client_secret": "correct horse", "a": 1}', "horse"],
  ["a sentence", "the password: swordfish for staging", "swordfish"],
  ["another sentence", "the password is hunter2, ok?", "hunter2"],
  ["Chinese", "密码：hunter2", "hunter2"],
  ["Chinese sentence", "数据库密码是 hunter2", "hunter2"],
  ["glued to CJK", `用这个密钥sk-ant-api03-${long(80)}登录`, long(80)],
  ["glued to CJK, GitHub", `令牌ghp_${long(36)}已过期`, long(36)],
];

for (const [name, text, secret] of secrets) {
  test(`X1 ${name} is taken out`, () => {
    const redacted = redactSecrets(text);
    assert.ok(!redacted.includes(secret), redacted);
    assert.ok(redacted.includes("[redacted]"), redacted);
  });
}

/** Case X2. */
const harmless = [
  "basic authentication flow",
  "Basic Authentication for the admin pages",
  "pwd: /srv/app",
  "PWD=/home/dev/work",
  "the token: what is it",
  "the password is too short and the secret is out",
  "rename AccessToken to BearerToken",
  "bearer AccessToken provider",
  "the secret of good tests",
  "password reset flow, and the password field is too small",
  `revert ${hex(40)} and ${hex(7)}`,
  `sha256 ${hex(64)}`,
  "session 78a1a272-30c0-4572-bb39-b1d3251b6560",
  "src/very/long/path/of/Components/Dashboard2/widgets/SecretSauce/index.test.tsx",
  "task-management-system-for-distributed-teams-2026",
  "token=$TOKEN and --password $PASS",
  "const token = getToken(); secret: process.env.SECRET",
  "secret: <your secret>",
  "https://github.com/owner/repo/pull/12?x=1",
  "mail me@example.com: the api key page is down",
  "ssh://git@github.com:22/owner/repo",
];

for (const text of harmless) test(`X2 left alone: ${text.slice(0, 60)}`, () => assert.equal(redactSecrets(text), text));

test("what is redacted stays as it is in a second run", () => {
  for (const [, text] of secrets) assert.equal(redactSecrets(redactSecrets(text)), redactSecrets(text));
  fc.assert(fc.property(fc.string(), (text) => redactSecrets(redactSecrets(text)) === redactSecrets(text)));
});

test("a text made to be slow is not", () => {
  const started = performance.now();
  for (const part of ["password", "a-", "secret=", "://", "eyJ", "-----BEGIN ", "x_", '\\"', "aws "]) redactSecrets(part.repeat(8_000));
  assert.ok(performance.now() - started < 2_000, `${performance.now() - started} ms`);
});
