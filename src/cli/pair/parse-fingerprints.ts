import { CcmError } from "../../core/errors.ts";
import { plainLine } from "../../core/plain-text.ts";
import { parseFingerprint } from "../../ssh/known-hosts/remember-host-key.ts";

/** What `--accept-new-host-key` was given, in ssh's spelling, or `usage`. */
export function parseFingerprints(given: string | undefined): string[] {
  return (given === undefined ? [] : [given]).map((text) => {
    const fingerprint = parseFingerprint(text);
    if (fingerprint !== undefined) return fingerprint;
    throw new CcmError("usage", `"${plainLine(text, 80)}" is no SHA-256 fingerprint of a key`, {
      hint: "write it as ssh prints it, SHA256:… ; on the host itself: ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub",
    });
  });
}
