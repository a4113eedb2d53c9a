import type { BundledPackage } from "./bundled-packages.ts";

/** The licences of everything that is in the executable besides ccm itself. */
export function notices(packages: readonly BundledPackage[], runtime: { readonly version: string; readonly licenceText: string }): string {
  const parts = packages.map(({ name, version, licence, licenceText }) => section(`${name} ${version} (${licence})`, licenceText));
  return [
    "ccm is one executable that carries the following software.",
    ...parts,
    section(`Node.js ${runtime.version} and what it contains`, runtime.licenceText),
  ].join("\n\n");
}

function section(title: string, text: string): string {
  return `${"=".repeat(79)}\n${title}\n${"=".repeat(79)}\n\n${text.trim()}\n`;
}
