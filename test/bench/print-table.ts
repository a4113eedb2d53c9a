import type { Result } from "./result.ts";

const HEADINGS = ["row", "what", "median", "p99", "unit", "floor", "p99", "x", "target", "n"];
/** Columns of numbers; the others are text. */
const RIGHT = new Set([2, 3, 5, 6, 7, 9]);

export function formatTable(results: readonly Result[]): string {
  const lines = [HEADINGS, ...results.map(cellsOf)];
  const widths = HEADINGS.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)));
  const align = (cell: string, column: number) => {
    const width = widths[column] ?? 0;
    return RIGHT.has(column) ? cell.padStart(width) : cell.padEnd(width);
  };
  return lines.map((cells) => cells.map(align).join("  ").trimEnd()).join("\n");
}

function cellsOf({ row, what, median, p99, unit, floor, ratio, target, samples }: Result): string[] {
  return [
    row,
    floor === undefined ? what : `${what} / ${floor.what}`,
    number(median),
    number(p99),
    unit,
    number(floor?.median),
    number(floor?.p99),
    number(ratio),
    target === undefined ? "" : `${target.text} ${target.met ? "met" : "MISSED"}`,
    String(samples),
  ];
}

/** Three digits that mean something. */
function number(value: number | undefined): string {
  if (value === undefined) return "";
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
