/**
 * One session as its registry record tells it. The fields that this program reads are typed and are absent where the record
 * has something else in their place; `raw` keeps the record as it was, with what newer versions add.
 */
export interface SessionRecord {
  readonly pid: number;
  readonly sessionId?: string;
  readonly name?: string;
  readonly nameSource?: string;
  readonly cwd?: string;
  readonly kind?: string;
  readonly status?: string;
  readonly detail?: string;
  /** The program behind the session where it is not Claude Code itself. */
  readonly agent?: string;
  readonly version?: string;
  readonly entrypoint?: string;
  readonly procStart?: string;
  readonly pidDomain?: string;
  readonly messagingSocketPath?: string;
  readonly bridgeSessionId?: string;
  readonly peerProtocol?: number;
  readonly peerFeatures?: readonly string[];
  /** Milliseconds since the epoch, as the three below. */
  readonly startedAt?: number;
  readonly nameSince?: number;
  readonly updatedAt?: number;
  readonly statusUpdatedAt?: number;
  readonly raw: Readonly<Record<string, unknown>>;
}

export type ParsedSessionRecord = { readonly record: SessionRecord } | { readonly record?: undefined; readonly detail: string };

const TEXT_FIELDS = [
  "sessionId",
  "name",
  "nameSource",
  "cwd",
  "kind",
  "status",
  "detail",
  "agent",
  "version",
  "entrypoint",
  "pidDomain",
  "messagingSocketPath",
  "bridgeSessionId",
] as const;
const NUMBER_FIELDS = ["peerProtocol", "startedAt", "nameSince", "updatedAt", "statusUpdatedAt"] as const;

/** Reads a record leniently: only what is no JSON object, or has no pid, is refused, with what is wrong. Never throws. */
export function parseSessionRecord(text: string): ParsedSessionRecord {
  let raw: unknown;
  try {
    raw = JSON.parse(text);
  } catch {
    return { detail: text.trim() === "" ? "is empty" : "is not complete JSON" };
  }
  if (!isJsonObject(raw)) return { detail: `holds ${kindOf(raw)} instead of an object` };
  if (!Number.isSafeInteger(raw["pid"])) return { detail: "has no pid" };
  return { record: typedRecord(raw, raw["pid"] as number) };
}

/** Any JSON object, as opposed to an array, null or a bare value. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : `a ${typeof value}`;
}

function typedRecord(raw: Record<string, unknown>, pid: number): SessionRecord {
  const fields: Record<string, unknown> = {};
  for (const name of TEXT_FIELDS) if (typeof raw[name] === "string") fields[name] = raw[name];
  for (const name of NUMBER_FIELDS) if (typeof raw[name] === "number") fields[name] = raw[name];
  const procStart = raw["procStart"];
  if (typeof procStart === "string" || typeof procStart === "number") fields["procStart"] = String(procStart);
  const features = raw["peerFeatures"];
  if (Array.isArray(features)) fields["peerFeatures"] = features.filter((feature) => typeof feature === "string");
  return { pid, ...fields, raw };
}
