/** How many edits still look like a slip of the finger in a word of this length. */
const allowedEdits = (word: string): number => (word.length <= 4 ? 1 : 2);

/** The candidate that was probably meant: a slip away, or one that begins alike. */
export function nearestWord(word: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map((candidate) => ({ candidate, edits: editDistance(word, candidate) }))
    .filter(({ edits }) => edits <= allowedEdits(word))
    .sort((left, right) => left.edits - right.edits);
  return ranked[0]?.candidate ?? candidates.find((candidate) => word.length >= 2 && candidate.startsWith(word));
}

/** Insertions, deletions, substitutions and swaps of neighbours between two short words. */
function editDistance(left: string, right: string): number {
  const rows = Array.from({ length: left.length + 1 }, (_, row) => Array.from({ length: right.length + 1 }, (_, column) => row + column));
  const at = (row: number, column: number): number => rows[row]?.[column] ?? 0;
  for (let row = 1; row <= left.length; row += 1) {
    for (let column = 1; column <= right.length; column += 1) {
      const isSame = left[row - 1] === right[column - 1];
      const isSwap = row > 1 && column > 1 && left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      const edits = Math.min(at(row - 1, column) + 1, at(row, column - 1) + 1, at(row - 1, column - 1) + (isSame ? 0 : 1));
      (rows[row] as number[])[column] = isSwap ? Math.min(edits, at(row - 2, column - 2) + 1) : edits;
    }
  }
  return at(left.length, right.length);
}
