import fs from "node:fs";
import path from "node:path";
import { isJsonObject, type SessionRecord } from "../claude/session-record.ts";
import { isSessionId } from "./session-file.ts";
import { taskFromPrompt } from "./task.ts";

/** A step back from the end of the transcript; one turn with tools is often larger than the last prompt is far. */
const STEP_BYTES = 256 * 1024;
const MAX_BYTES = 4 * STEP_BYTES;

/** Where Claude Code keeps a session's transcript, if it is there. */
export function findTranscript(claudeConfig: string, { sessionId, cwd }: Pick<SessionRecord, "sessionId" | "cwd">): string | undefined {
  if (!isSessionId(sessionId)) return undefined;
  const projects = path.join(claudeConfig, "projects");
  const named = cwd === undefined ? [] : [cwd.replace(/[^A-Za-z0-9]/g, "-")];
  // A long directory is named otherwise: then all are looked through.
  return firstTranscript(projects, named, sessionId) ?? firstTranscript(projects, listDirectories(projects), sessionId);
}

/**
 * The task of a session that has none in the roster: what its person asked last, by the end of its transcript. Reads at most
 * 1 MiB, from the end, however long the transcript is. Never throws.
 */
export function taskFromTranscript(file: string): string | undefined {
  try {
    return searchBackwards(file);
  } catch {
    return undefined;
  }
}

function firstTranscript(projects: string, directories: readonly string[], sessionId: string): string | undefined {
  return directories
    .map((directory) => path.join(projects, directory, `${sessionId}.jsonl`))
    .find((file) => fs.statSync(file, { throwIfNoEntry: false })?.isFile());
}

function listDirectories(directory: string): string[] {
  try {
    return fs.readdirSync(directory);
  } catch {
    return [];
  }
}

function searchBackwards(file: string): string | undefined {
  const descriptor = fs.openSync(file, "r");
  try {
    const size = fs.fstatSync(descriptor).size;
    let cutLine = Buffer.alloc(0);
    for (let end = size; end > Math.max(0, size - MAX_BYTES); end -= STEP_BYTES) {
      const start = Math.max(0, end - STEP_BYTES);
      const chunk = Buffer.alloc(end - start);
      fs.readSync(descriptor, chunk, 0, chunk.length, start);
      const text = Buffer.concat([chunk, cutLine]);
      const firstWhole = start === 0 ? 0 : text.indexOf(0x0a) + 1;
      const task = lastTask(text.subarray(firstWhole).toString("utf8"));
      if (task !== undefined || start === 0) return task;
      cutLine = text.subarray(0, firstWhole === 0 ? text.length : firstWhole);
    }
    return undefined;
  } finally {
    fs.closeSync(descriptor);
  }
}

function lastTask(lines: string): string | undefined {
  for (const line of lines.split("\n").reverse()) {
    // Cheaper than parsing each: most lines are results of tools.
    const prompt = line.includes('"last-prompt"') || line.includes('"user"') ? promptOf(line) : undefined;
    const task = prompt === undefined ? undefined : taskFromPrompt(prompt);
    if (task !== undefined) return task;
  }
  return undefined;
}

/** A line that is a prompt of the session's person: not of a subagent, not a tool's result, not made up by Claude Code. */
function promptOf(line: string): string | undefined {
  const entry = parse(line);
  if (entry?.["type"] === "last-prompt") return textOf(entry["lastPrompt"]);
  if (entry?.["type"] !== "user" || entry["isSidechain"] === true || entry["isMeta"] === true) return undefined;
  const message = entry["message"];
  const content = isJsonObject(message) ? message["content"] : undefined;
  if (!Array.isArray(content)) return textOf(content);
  const parts = content.filter(isJsonObject);
  return parts.some(({ type }) => type === "tool_result") ? undefined : textOf(parts.find(({ type }) => type === "text")?.["text"]);
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
