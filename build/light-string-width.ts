type StringWidth = (text: string, options?: object) => number;

const PRINTABLE_ASCII = /^[ -~]*$/;

/** The `string-width` package for yargs' help: loaded only for text whose width is not its length. */
const stringWidth: StringWidth = (text, options) => {
  if (PRINTABLE_ASCII.test(text)) return text.length;
  return (require("string-width") as { default: StringWidth }).default(text, options);
};

export default stringWidth;
