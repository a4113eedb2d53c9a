import stringWidth from "string-width";
import { plainLine } from "../../core/plain-text.ts";

export interface Cell {
  readonly text: string;
  readonly paint?: (text: string) => string;
}

export interface TableOptions {
  /** Columns of the terminal: the last cell of a longer line is cut to fit. Unlimited when left out. */
  readonly width?: number | undefined;
}

const GAP = "  ";
/** Below this the last column says nothing: better to let the terminal wrap. */
const MIN_LAST_COLUMN = 12;
const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/**
 * Rows as aligned columns, wide characters counted as they are shown. Every cell is made one inert line here, so a caller
 * can pass what a session or another machine said as it came.
 */
export function renderTable(rows: readonly (readonly (Cell | string)[])[], options: TableOptions = {}): string {
  const table = rows.map((row) => row.map(inertCell));
  const columns = Math.max(0, ...table.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) => Math.max(...table.map((row) => stringWidth(row[column]?.text ?? ""))));
  return table.map((row) => renderRow(row, widths, options.width)).join("\n");
}

function renderRow(row: readonly Cell[], widths: readonly number[], width: number | undefined): string {
  const last = row.findLastIndex((cell) => cell.text !== "");
  let used = 0;
  const cells = row.slice(0, last + 1).map((cell, column) => {
    const paint = cell.paint ?? ((text: string) => text);
    if (column === last) return paint(fit(cell.text, width === undefined ? undefined : width - used));
    const columnWidth = widths[column] ?? 0;
    used += columnWidth + GAP.length;
    return paint(cell.text) + " ".repeat(columnWidth - stringWidth(cell.text));
  });
  return cells.join(GAP);
}

function inertCell(cell: Cell | string): Cell {
  return typeof cell === "string" ? { text: plainLine(cell) } : { ...cell, text: plainLine(cell.text) };
}

/** Cuts at a whole character as shown, with an ellipsis. */
function fit(text: string, width: number | undefined): string {
  if (width === undefined || width < MIN_LAST_COLUMN || stringWidth(text) <= width) return text;
  let kept = "";
  let keptWidth = 0;
  for (const { segment } of graphemes.segment(text)) {
    keptWidth += stringWidth(segment);
    if (keptWidth > width - 1) break;
    kept += segment;
  }
  return `${kept.trimEnd()}…`;
}
