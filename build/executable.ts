import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { runTool } from "./run-tool.ts";
import { root } from "./runtime.ts";
import { SEA_FUSE, SEA_RESOURCE, SEA_SEGMENT } from "./sea.ts";
import { signAdHoc } from "./sign-ad-hoc.ts";
import type { Target } from "./targets.ts";

const CODESIGN = "/usr/bin/codesign";

/**
 * Copies the runtime to `file` and takes out the symbols, a fifth of its size. Must come before the injection: afterwards it
 * would destroy it. Returns why it is unstripped where there is no `strip` that knows the target's format.
 */
export function copyRuntime(runtimeFile: string, file: string, target: Target): string | undefined {
  fs.copyFileSync(runtimeFile, file);
  fs.chmodSync(file, 0o755);
  // A signature covers the bytes that are about to change.
  if (target.platform === "darwin" && process.platform === "darwin") runTool(CODESIGN, ["--remove-signature", file]);
  return strip(file, target);
}

/** Puts the blob into the executable; for macOS signs it again, ad hoc, without which an arm64 system ends it at its start. */
export function inject(file: string, blob: string, target: Target): void {
  const postject = path.join(root, "node_modules", "postject", "dist", "cli.js");
  const segment = target.platform === "darwin" ? ["--macho-segment-name", SEA_SEGMENT] : [];
  runTool(process.execPath, [postject, file, SEA_RESOURCE, blob, "--sentinel-fuse", SEA_FUSE, ...segment]);
  if (target.platform === "darwin") sign(file);
}

/** By Apple's own tool where it is, elsewhere by ours; the release's workflow signs again on macOS. */
function sign(file: string): void {
  if (process.platform === "darwin") return runTool(CODESIGN, ["--force", "--sign", "-", file]);
  fs.writeFileSync(file, signAdHoc(fs.readFileSync(file), "ccm"));
}

function strip(file: string, target: Target): string | undefined {
  const local = target.platform === "darwin" ? ["-x"] : [];
  const gnu = target.arch === "arm64" ? "aarch64-linux-gnu-strip" : "x86_64-linux-gnu-strip";
  const tools = target.platform === "linux" ? ["strip", gnu, "llvm-strip"] : ["strip", "llvm-strip"];
  const reasons: string[] = [];
  for (const tool of tools) {
    const stripped = `${file}.stripped`;
    const { error, status, stderr } = spawnSync(tool, [...local, "-o", stripped, file], { encoding: "utf8" });
    if (status === 0) {
      fs.renameSync(stripped, file);
      return undefined;
    }
    fs.rmSync(stripped, { force: true });
    if (!error) reasons.push(`${tool}: ${stderr.trim().split("\n").at(-1)}`);
  }
  return reasons[0] ?? "no strip on this machine";
}
