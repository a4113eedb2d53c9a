import fs from "node:fs";
import { isElf, readElf } from "./elf.ts";
import { isMachO, readMachO } from "./mach-o.ts";
import { SEA_FUSE, SEA_RESOURCE, SEA_SEGMENT } from "./sea.ts";
import { signatureProblem } from "./sign-ad-hoc.ts";
import type { Target } from "./targets.ts";

/** What an artefact is, told from its bytes alone: no system that could run it is needed. */
interface Facts {
  readonly format: "ELF" | "Mach-O" | "unknown";
  readonly arch?: string;
  readonly interpreter?: string | undefined;
  readonly hasResource?: boolean;
  /** Mach-O only: why its signature would be refused. */
  readonly signatureProblem?: string | undefined;
}

/** Everything in which the file is not an executable for the target; empty if it is one. */
export function checkExecutable(file: string, target: Target): string[] {
  const content = fs.readFileSync(file);
  const facts = factsOf(content);
  const format = target.platform === "darwin" ? "Mach-O" : "ELF";
  if (facts.format !== format) return [`it is ${facts.format}, not ${format}`];
  const problems: string[] = [];
  if (facts.arch !== target.arch) problems.push(`it is for ${facts.arch}, not ${target.arch}`);
  if (facts.interpreter !== target.interpreter) problems.push(`its loader is ${facts.interpreter}, not ${target.interpreter}`);
  if (!facts.hasResource) problems.push(`it has no ${SEA_RESOURCE}`);
  const fuse = content.indexOf(`${SEA_FUSE}:`) + SEA_FUSE.length + 1;
  if (content.toString("latin1", fuse, fuse + 1) !== "1") problems.push("its runtime does not know that something was injected");
  if (facts.signatureProblem !== undefined) problems.push(`signature: ${facts.signatureProblem}`);
  return problems;
}

function factsOf(content: Buffer): Facts {
  if (isElf(content)) {
    const { arch, interpreter, notes } = readElf(content);
    return { format: "ELF", arch, interpreter, hasResource: notes.includes(SEA_RESOURCE) };
  }
  if (!isMachO(content)) return { format: "unknown" };
  const { arch, loader, segments } = readMachO(content);
  const hasResource = segments.some(({ name, sections }) => name === SEA_SEGMENT && sections.includes(`__${SEA_RESOURCE}`));
  return { format: "Mach-O", arch, interpreter: loader, hasResource, signatureProblem: signatureProblem(content) };
}
