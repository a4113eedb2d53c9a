import { styleText } from "node:util";

type Paint = (text: string) => string;

/** The few ways in which something stands out. */
export interface Style {
  readonly strong: Paint;
  readonly quiet: Paint;
  readonly good: Paint;
  readonly warning: Paint;
  readonly bad: Paint;
}

const asItIs: Paint = (text) => text;

export const plainStyle: Style = { strong: asItIs, quiet: asItIs, good: asItIs, warning: asItIs, bad: asItIs };

const paint =
  (format: Parameters<typeof styleText>[0]): Paint =>
  (text) =>
    text === "" ? text : styleText(format, text, { validateStream: false });

const colouredStyle: Style = {
  strong: paint("bold"),
  quiet: paint("dim"),
  good: paint("green"),
  warning: paint("yellow"),
  bad: paint("red"),
};

/** Colours on a terminal only, and never where NO_COLOR is set (https://no-color.org) or the terminal is dumb. */
export function styleFor(stream: { readonly isTTY?: boolean }, environment: NodeJS.ProcessEnv = process.env): Style {
  const coloured = stream.isTTY === true && !environment.NO_COLOR && environment.TERM !== "dumb";
  return coloured ? colouredStyle : plainStyle;
}
