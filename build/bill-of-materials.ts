import type { BundledPackage } from "./bundled-packages.ts";
import type { PinnedRuntime } from "./runtime.ts";

export interface MaterialsOf {
  readonly version: string;
  readonly builtAt: Date;
  readonly packages: readonly BundledPackage[];
  readonly runtimes: readonly PinnedRuntime[];
}

/** What the executables are made of, in CycloneDX 1.6. Without a serial number: the same source gives the same file. */
export function billOfMaterials({ version, builtAt, packages, runtimes }: MaterialsOf): object {
  return {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      timestamp: builtAt.toISOString(),
      component: { type: "application", "bom-ref": "ccm", name: "ccm", version, licenses: [{ license: { id: "MIT" } }] },
    },
    components: [...packages.map(library), ...runtimes.map(runtime)],
    dependencies: [{ ref: "ccm", dependsOn: [...packages.map(packageUrl), ...runtimes.map((one) => packageUrl(nameOf(one)))] }],
  };
}

function library(one: BundledPackage): object {
  const purl = packageUrl(one);
  const { name, version, licence } = one;
  return { type: "library", "bom-ref": purl, name, version, purl, licenses: [{ license: { id: licence } }] };
}

function runtime(pinned: PinnedRuntime): object {
  const { name, version } = nameOf(pinned);
  const purl = packageUrl({ name, version });
  const hashes = [{ alg: "SHA-512", content: Buffer.from(pinned.integrity.slice("sha512-".length), "base64").toString("hex") }];
  return { type: "platform", "bom-ref": purl, name, version, purl, licenses: [{ license: { id: "MIT" } }], hashes };
}

function nameOf({ target, version }: PinnedRuntime): { name: string; version: string } {
  return { name: target.runtimePackage, version };
}

function packageUrl({ name, version }: { readonly name: string; readonly version: string }): string {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}
