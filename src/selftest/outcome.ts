/** What became of one thing that we rely on. */
export type Outcome =
  | { readonly kind: "holds"; readonly detail?: string }
  | { readonly kind: "broken"; readonly detail: string }
  /** Nothing is known: neither that it holds nor that it does not. */
  | { readonly kind: "unchecked"; readonly detail: string }
  /** This Claude Code does not do it at all, for now; nothing is wrong with that. */
  | { readonly kind: "off"; readonly detail: string };

/** Thrown by a check: Claude Code did something else than we rely on. */
export class Broken extends Error {
  override readonly name = "Broken";
}

/** Thrown by a check that cannot be made here, with why. */
export class Unchecked extends Error {
  override readonly name = "Unchecked";
}

/** Thrown by a check of what is not switched on in this Claude Code. */
export class SwitchedOff extends Error {
  override readonly name = "SwitchedOff";
}

export function mustHold(isSo: boolean, otherwise: string): asserts isSo {
  if (!isSo) throw new Broken(otherwise);
}

export function mustEqual(actual: unknown, expected: unknown, what: string): void {
  const [found, due] = [JSON.stringify(actual), JSON.stringify(expected)];
  mustHold(found === due, `${what} is ${found}, not ${due}`);
}
