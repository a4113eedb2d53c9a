import type { Change } from "./change.ts";

/** Does one after the other, and says each to `onDone`. The first that fails ends it; those before it stay done. */
export async function applyChanges(changes: readonly Change[], onDone: (done: string) => void): Promise<void> {
  for (const { done, apply } of changes) {
    await apply();
    onDone(done);
  }
}
