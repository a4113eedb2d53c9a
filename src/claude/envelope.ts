/** Who a message says it comes from, and under which permission class. */
export interface EnvelopeFields {
  readonly from: string;
  readonly fromSession?: string;
  /** Comma-joined marks of the sessions that it went through. */
  readonly hopChain?: string;
  readonly fromName?: string;
  readonly fromMode?: string;
  /** Since 2.1.282. */
  readonly fromPlugin?: string;
}

export interface Envelope extends EnvelopeFields {
  /** As it stands between the tags: a closing tag in it is escaped. */
  readonly body: string;
}

/** The longest `from-name`, in code points. */
export const MAX_FROM_NAME_CHARACTERS = 80;

const TAG = "cross-session-message";
const CLOSING_IN_BODY = new RegExp(`</(${TAG})`, "gi");
const ESCAPED_IN_BODY = new RegExp(`<\\\\/(${TAG})`, "gi");
const CLOSING = `\n</${TAG}>`;

interface Attribute {
  readonly field: keyof EnvelopeFields;
  readonly name: string;
  readonly grammar: string;
  /** What of it is ASCII, where it has classes of Unicode: those take some 5 ms to build, and few names need them. */
  readonly asciiGrammar?: string;
}

/** In the one order that Claude Code reads; one that is out of order or out of grammar makes the whole envelope opaque to it. */
const ATTRIBUTES: readonly Attribute[] = [
  { field: "from", name: "from", grammar: "[A-Za-z0-9%:_/.\\-]{1,300}" },
  { field: "fromSession", name: "from-session", grammar: "[A-Za-z0-9_-]{1,80}" },
  { field: "hopChain", name: "hop-chain", grammar: "[0-9a-f]{24}(?:,[0-9a-f]{24}){0,31}" },
  {
    field: "fromName",
    name: "from-name",
    grammar: `[^"<>\\p{Cc}\\p{Zl}\\p{Zp}\\p{Cs}]{1,${MAX_FROM_NAME_CHARACTERS}}`,
    asciiGrammar: `[ !#-;=?-~]{1,${MAX_FROM_NAME_CHARACTERS}}`,
  },
  { field: "fromMode", name: "from-mode", grammar: "bypass|prompting" },
  { field: "fromPlugin", name: "from-plugin", grammar: '[^"<>\\p{Cc}\\p{Zl}\\p{Zp}\\p{Cs}]{1,200}' },
];
const [, ...OPTIONAL_ATTRIBUTES] = ATTRIBUTES;
const OPENING = new RegExp(
  `^<${TAG} from="(?<from>${ATTRIBUTES[0]?.grammar})"${OPTIONAL_ATTRIBUTES.map(({ field, name, grammar }) => `(?: ${name}="(?<${field}>${grammar})")?`).join("")}>\n`,
  "u",
);

/** The parts of an envelope, or undefined for anything that Claude Code itself would take for opaque text. */
export function parseEnvelope(content: string): Envelope | undefined {
  const opening = OPENING.exec(content);
  if (!opening?.groups || !content.endsWith(CLOSING)) return undefined;
  const body = content.slice(opening[0].length, content.length - CLOSING.length);
  if (content.length < opening[0].length + CLOSING.length || escapeBody(body) !== body) return undefined;
  const fields = Object.fromEntries(Object.entries(opening.groups).filter(([, value]) => value !== undefined));
  return { ...(fields as unknown as EnvelopeFields), body };
}

/**
 * The envelope as Claude Code writes it. Throws a RangeError for a value that its grammar does not allow: pass names through
 * {@link sanitizeFromName} first.
 */
export function buildEnvelope(fields: EnvelopeFields, body: string): string {
  return `${openingTag(fields)}\n${escapeBody(body)}${CLOSING}`;
}

export interface SenderRewrite {
  readonly from: string;
  /** Cleaned here; if nothing is left of it, the envelope carries no name. */
  readonly fromName: string;
  /** Takes a `from-mode` of `bypass` out, which leaves the sender's mode undeclared. */
  readonly dropBypass?: boolean;
}

/** As any version may write it: attributes that are not known here, or in another order, included. */
const ANY_OPENING = new RegExp(`^<${TAG}((?: [a-z][a-z0-9-]*="[^"\n]*")+)>\n`);
const ANY_ATTRIBUTE = / ([a-z][a-z0-9-]*)="([^"\n]*)"/g;
const BEFORE_NAME = new Set(["from", "from-session", "hop-chain"]);

/**
 * The same message under another address and name, all else byte for byte, also what only a newer version understands; undefined
 * for what does not begin like an envelope.
 */
export function rewriteSender(content: string, { from, fromName, dropBypass = false }: SenderRewrite): string | undefined {
  const [tag, text] = ANY_OPENING.exec(content) ?? [];
  if (tag === undefined || text === undefined) return undefined;
  const attributes = [...text.matchAll(ANY_ATTRIBUTE)].map(([, name = "", value = ""]) => ({ name, value }));
  const kept = attributes.filter(({ name, value }) => name !== "from-name" && !(dropBypass && name === "from-mode" && value === "bypass"));
  const renamed = kept.map(({ name, value }) => ({ name, value: name === "from" ? from : value }));
  const plainName = sanitizeFromName(fromName);
  const place = renamed.findLastIndex(({ name }) => BEFORE_NAME.has(name)) + 1;
  if (plainName !== "") renamed.splice(place, 0, { name: "from-name", value: plainName });
  return `<${TAG}${renamed.map(({ name, value }) => ` ${name}="${value}"`).join("")}>\n${content.slice(tag.length)}`;
}

/** A name as it may stand in `from-name`: without quotes, angle brackets, line ends and control characters, at most 80 characters. */
export function sanitizeFromName(name: string): string {
  const unquoted = name.toWellFormed().replace(/["<>]/g, "");
  // As with the grammar: most names can do without classes of Unicode.
  const plain = /^[ -~]*$/.test(unquoted) ? unquoted : unquoted.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ");
  return Array.from(plain.trim()).slice(0, MAX_FROM_NAME_CHARACTERS).join("").trim();
}

function openingTag(fields: EnvelopeFields): string {
  let tag = `<${TAG}`;
  for (const attribute of ATTRIBUTES) {
    const { field, name } = attribute;
    const value = fields[field];
    if (value === undefined) continue;
    if (!isAllowed(value, attribute)) throw new RangeError(`${name} cannot be ${JSON.stringify(value.slice(0, 100))}`);
    tag += ` ${name}="${value}"`;
  }
  return `${tag}>`;
}

/**
 * What a message says, as its sender wrote it: without the envelope, whichever version made that, and with closing tags as they were.
 * A backslash that the sender had put there itself goes too; the wire does not tell the two apart.
 */
export function messageText(content: string): string {
  const [tag] = ANY_OPENING.exec(content) ?? [];
  if (tag === undefined || !content.endsWith(CLOSING) || content.length < tag.length + CLOSING.length) return content;
  return content.slice(tag.length, content.length - CLOSING.length).replace(ESCAPED_IN_BODY, "</$1");
}

function isAllowed(value: string, { grammar, asciiGrammar }: Attribute): boolean {
  if (asciiGrammar !== undefined && new RegExp(`^${asciiGrammar}$`).test(value)) return true;
  return new RegExp(`^(?:${grammar})$`, "u").test(value);
}

/** A closing tag in any letter case gets a backslash before its slash; so what is escaped already stays as it is. */
function escapeBody(body: string): string {
  return body.replace(CLOSING_IN_BODY, "<\\/$1");
}
