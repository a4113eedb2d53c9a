import type { Frame } from "../frames.ts";
import { type AttachmentDescriptor, attachmentsOf } from "./descriptor.ts";
import { droppedNote } from "./notes.ts";
import { MAX_FILES_PER_MESSAGE } from "./spool.ts";

/** The files of a frame as far as one message may have them, and a note about the others. The array of notes is the caller's to add to. */
export function takenAttachments(frame: Frame): { readonly taken: readonly AttachmentDescriptor[]; readonly notes: string[] } {
  const all = attachmentsOf(frame);
  const tooMany = all.length - MAX_FILES_PER_MESSAGE;
  return { taken: all.slice(0, MAX_FILES_PER_MESSAGE), notes: tooMany > 0 ? [droppedNote(tooMany)] : [] };
}
