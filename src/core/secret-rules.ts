/**
 * What a secret looks like. Two kinds: tokens that are recognised by their own form, and values that are recognised by what stands
 * before them. Nothing here guesses from randomness: git hashes, UUIDs and paths are what tasks are about.
 */
export const REDACTED = "[redacted]";

/** What every rule below needs something of: a long word, or a sign or word that leads a value (in Chinese, the first sign of each). */
export const MAY_HOLD_SECRET =
  /[\w-]{14}|[:=\uff1a\uff1d]|--|-----BEGIN|pass|secret|token|key|credential|bearer|basic|pwd|[\u5bc6\u53e3\u79d8\u4ee4]/i;

export interface AssignmentRule {
  readonly pattern: RegExp;
  readonly replace: (...match: string[]) => string;
}

/** Not glued to the end of a longer word of ASCII; text in other scripts may stand directly before a key. */
const START = "(?<![A-Za-z0-9_-])";

const token = (body: string): RegExp => new RegExp(`${START}(?:${body})`, "g");

export const tokenRules: readonly RegExp[] = [
  /-----BEGIN [A-Z0-9 ]{0,40}-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}-----|$)/g,
  // Anthropic, OpenAI and others of that form.
  token(
    "sk-ant-[\\w-]{16,}|sk-(?:proj|svcacct|admin|None|or-v1|lf)-[\\w-]{16,}|sk-[A-Za-z0-9]{20,}|sk-(?=[\\w-]{0,80}\\d)[a-z]{2,12}-[A-Za-z0-9]{20,}",
  ),
  // GitHub, GitLab.
  token("gh[a-z]_[A-Za-z0-9_]{20,}|github_pat_\\w{20,}|gl[a-z]{2,6}-[\\w.-]{16,}|GR1348941[\\w-]{16,}"),
  // AWS key ids; Google.
  token("(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA|AGPA|ANPA|ANVA|A3T[A-Z0-9])[A-Z0-9]{16}(?![A-Za-z0-9])"),
  token("AIza[\\w-]{30,}|ya29\\.[\\w-]{20,}|GOCSPX-[\\w-]{20,}"),
  // Hugging Face, npm, PyPI, Docker, DigitalOcean, Linear, Vercel, Databricks, age.
  token(
    "hf_[A-Za-z0-9]{20,}|npm_[A-Za-z0-9]{30,}|pypi-[\\w-]{50,}|dckr_pat_[\\w-]{20,}|do[opr]_v1_[a-f0-9]{40,}|lin_api_\\w{30,}|dapi[a-f0-9]{32}|AGE-SECRET-KEY-1[A-Z0-9]{50,}",
  ),
  // Slack, SendGrid, Stripe, Twilio, Telegram, Discord.
  token("xox[a-z](?:\\.xox[a-z])?-[\\w-]{10,}|xapp-[\\w-]{10,}|SG\\.[\\w-]{16,}\\.[\\w-]{16,}"),
  token("[srp]k_(?:live|test)_\\w{10,}|whsec_[A-Za-z0-9+/=]{20,}|(?:AC|SK)[a-f0-9]{32}(?![A-Za-z0-9])|\\d{8,10}:AA[\\w-]{33}"),
  /(?<=hooks\.slack\.com\/services\/)[\w/]{20,}/g,
  // JSON Web Tokens, the unsigned ones too.
  token("eyJ[\\w-]{6,}\\.[\\w-]{6,}\\.[\\w-]*"),
];

/** Names whose value is a secret, as they stand in variables, headers, options and sentences. */
const PASSWORD = "pass(?:word|wd|phrase|code)|密码|口令";
const OTHER = "secret|token|api[_-]?key|access[_-]?key|private[_-]?key|secret[_-]?key|account[_-]?key|credentials?|密钥|秘钥|令牌";
/** A whole name around one of these: `DB_PASSWORD`, `aws_secret_access_key`, `x-api-key`. Bounded, so that a long word costs no square. */
const NAME = `(?<![A-Za-z0-9])[\\w.-]{0,40}?(?:${PASSWORD}|${OTHER})(?:[_-][\\w-]{0,40}|s)?`;
const QUOTED = `"(?:\\\\.|[^"\\\\]){0,2000}"?|'(?:\\\\.|[^'\\\\]){0,2000}'?|\`[^\`]{0,2000}\`?`;
const BARE = "[^\\s\"'`,;，；。]{1,2000}";
const SEPARATOR = "(?:[\"'`]?\\s{0,3}(?:[:=：＝]|:=|=>|是)|\\s{1,3}is:?(?=\\s))\\s{0,3}";

/** A value that only names where the secret is, or that has been taken out already. */
const REFERENCE = /^["'`]?(?:\$|%\w|\{\{|<|\[redacted\]|process\.env|os\.environ|env\[|null\b|none\b|undefined\b|true\b|false\b)/i;
/** Words with which a sentence goes on. */
const PROSE =
  /^(?:what|why|how|who|where|when|which|is|are|was|the|an?|it|its|this|that|not?|needs?|must|should|can|could|does|do|in|of|for|from|to|with|and|or|on|at|by|string|number|field|reset|type|value|expired|missing|invalid|required|optional)$/i;

/** Whether a value looks made and not written: a digit, letters of both cases in disorder, or signs that words do not have. */
function looksMade(value: string): boolean {
  return /\d|[+=]|[^\w\s.,!?'"()/-]/.test(value) || /[a-z][A-Z]{2}|[A-Z]{2}[a-z]+[A-Z]/.test(value) || value.length >= 24;
}

function isSecretValue(name: string, separator: string, value: string): boolean {
  const bare = value.replace(/^["'`]|["'`]$/g, "");
  if (bare.trim() === "" || REFERENCE.test(value)) return false;
  if (bare !== value) return true;
  // `token=getToken()` and `secret: config.secret` are code.
  if (/^[A-Za-z_][\w.]*\(/.test(value) || PROSE.test(value)) return false;
  if (/^(?:\/|~\/|\.{1,2}\/)/.test(value)) return looksMade(value) && !/^[~./\w-]+$/.test(value);
  if (/is/.test(separator)) return looksMade(value);
  // An identifier (`secret_key: x`, `PASSWORD=x`) is no sentence; in one, only a password or what looks made counts.
  const isIdentifier = /[_.-]|^[A-Z0-9]+$/.test(name) || separator.includes("=");
  return isIdentifier || new RegExp(PASSWORD, "i").test(name) || looksMade(value);
}

export const assignmentRules: readonly AssignmentRule[] = [
  {
    // scheme://user:password@host, and a token in the user's place. The last @ before the path ends it.
    pattern: /\b([a-z][a-z0-9+.-]{1,20}:\/\/)([^\s/:@"'<>]{0,200}):([^\s/"'<>]{1,500})@/gi,
    replace: (_all, scheme, user) => `${scheme}${user}:${REDACTED}@`,
  },
  {
    pattern: /\b(https?:\/\/)(?=[^\s/:@]{0,200}\d)[^\s/:@"'<>]{20,200}@/gi,
    replace: (_all, scheme) => `${scheme}${REDACTED}@`,
  },
  {
    pattern:
      /\b((?:proxy-)?authorization["'`]?\s{0,3}[:=]\s{0,3}["'`]?(?:bearer|basic|token|digest|apikey|aws4-hmac-sha256)?\s{0,3})([^\s"'`,]{3,})/gi,
    replace: (all, name, value) => (REFERENCE.test(value ?? "") ? (all ?? "") : `${name}${REDACTED}`),
  },
  {
    pattern: /\b(bearer|basic)(\s{1,3})([\w.~+/=-]{8,})/gi,
    replace: (all, scheme, space, value) => (isCredential(value ?? "") ? `${scheme}${space}${REDACTED}` : (all ?? "")),
  },
  {
    // An option and its value: `--password x`, `--api-key=x`.
    pattern: new RegExp(`(?<![\\w-])(--?[\\w-]{0,30}(?:${PASSWORD}|${OTHER})[\\w-]{0,30})(=|\\s{1,3})(${QUOTED}|(?!-)${BARE})`, "gi"),
    replace: (all, option, separator, value) =>
      REFERENCE.test(value ?? "") || PROSE.test(value ?? "") ? (all ?? "") : `${option}${separator}${REDACTED}`,
  },
  {
    pattern: new RegExp(`(${NAME})(${SEPARATOR})(${QUOTED}|${BARE})`, "gi"),
    replace: (all, name, separator, value) =>
      isSecretValue(name ?? "", separator ?? "", value ?? "") ? `${name}${separator}${REDACTED}` : (all ?? ""),
  },
  {
    // `pwd` is mostly a directory; only a value that cannot be one counts.
    pattern: new RegExp(`(?<![A-Za-z0-9])([\\w-]{0,40}pwd)(${SEPARATOR})(${QUOTED}|(?![/~.$])${BARE})`, "gi"),
    replace: (all, name, separator, value) =>
      isSecretValue(name ?? "", separator ?? "", value ?? "") ? `${name}${separator}${REDACTED}` : (all ?? ""),
  },
  {
    // The secret half of an AWS key has no form of its own but its length; it counts where the sentence says what it is.
    pattern:
      /(\b(?:aws|secret)\b[^\n]{0,40}?[\s:="'])(?![a-f0-9]{40}\b)((?=[A-Za-z0-9/+]{0,40}[A-Z])(?=[A-Za-z0-9/+]{0,40}\d)[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])/gi,
    replace: (_all, before) => `${before}${REDACTED}`,
  },
];

/** Base64 or a token, as opposed to a word or words in camel case (`basic authentication`, `Bearer AccessToken`). */
function isCredential(value: string): boolean {
  return /[\d=+]/.test(value) || !/^[A-Za-z]?[a-z]+(?:[A-Z][a-z]+)*$/.test(value.replace(/[-_./]/g, ""));
}
