/**
 * The value as JSON, or undefined where it has none that can be made: JSON.parse takes what is nested a million deep, and
 * JSON.stringify throws at it. For values that others wrote.
 */
export function toJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
