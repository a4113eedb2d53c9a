/** Whether `pattern` is the text, `*` standing for anything, in any letter case. Takes time in proportion to the two, whatever they are. */
export function matchesPattern(text: string, pattern: string): boolean {
  const whole = text.toLowerCase();
  const [first = "", ...rest] = pattern.toLowerCase().split("*");
  const last = rest.pop();
  if (last === undefined) return whole === first;
  if (!whole.startsWith(first)) return false;
  let end = first.length;
  for (const part of rest) {
    const found = whole.indexOf(part, end);
    if (found === -1) return false;
    end = found + part.length;
  }
  return whole.length - last.length >= end && whole.endsWith(last);
}
