import net from "node:net";
import { publicKeyType } from "./known-hosts/parse-known-hosts.ts";

const REQUEST_IDENTITIES = 11;
const IDENTITIES_ANSWER = 12;
const MAX_ANSWER_BYTES = 256 * 1024;
/** An agent that asks its person first is not waited for. */
const DEADLINE_MS = 1_000;

/** The types of the keys that an agent lists, certificates and security keys included; none where it does not answer. Never rejects. */
export async function readAgentKeyTypes(socketPath: string | undefined): Promise<string[]> {
  if (!socketPath || socketPath === "none") return [];
  const socket = net.connect(socketPath);
  const chunks: Buffer[] = [];
  const answer = new Promise<Buffer>((resolve) => {
    const take = (): Buffer => Buffer.concat(chunks);
    socket.setTimeout(DEADLINE_MS, () => resolve(Buffer.alloc(0)));
    socket.once("error", () => resolve(Buffer.alloc(0))).once("close", () => resolve(take()));
    socket.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      const bytes = take();
      if (bytes.length > MAX_ANSWER_BYTES || (bytes.length >= 4 && bytes.length >= 4 + bytes.readUInt32BE(0))) resolve(bytes);
    });
  });
  socket.write(Buffer.from([0, 0, 0, 1, REQUEST_IDENTITIES]));
  return parseAnswer(await answer.finally(() => socket.destroy()));
}

/** After the length: the kind, the number of keys, and for each its blob and its comment. */
function parseAnswer(bytes: Buffer): string[] {
  const types: string[] = [];
  if (bytes.length < 9 || bytes[4] !== IDENTITIES_ANSWER) return types;
  let offset = 9;
  const take = (): Buffer | undefined => {
    if (offset + 4 > bytes.length) return undefined;
    const start = offset + 4;
    offset = start + bytes.readUInt32BE(offset);
    return bytes.subarray(start, offset);
  };
  for (let left = bytes.readUInt32BE(5); left > 0; left--) {
    const blob = take();
    if (blob === undefined || take() === undefined) break;
    types.push(publicKeyType(blob) ?? "unknown");
  }
  return types;
}
