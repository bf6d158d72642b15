/** The look of a phase of a gesture; everything else is plain. */
export type Look = "plain" | "stroke" | "hold" | "way";

const LOOKS: readonly (readonly [RegExp, Look])[] = [
  [/^(stroke|beat|emphasis)/i, "stroke"],
  [/hold/i, "hold"],
  [/^(prep|retract|recoil|relax|ready|return)/i, "way"],
];

/** How to draw an interval by its label; only tiers named for phases have any. */
export function lookOf(tier: string, label: string): Look {
  if (!/phase|gesture|hand|stroke|\barms?\b/i.test(tier)) return "plain";
  return LOOKS.find(([pattern]) => pattern.test(label))?.[1] ?? "plain";
}

/** Which hand a row belongs to, by its name. */
export function sideOf(name: string): "left" | "right" | null {
  if (/(^|[^a-z])(left|lh|l)([^a-z]|$)|left/i.test(name)) return "left";
  return /(^|[^a-z])(right|rh|r)([^a-z]|$)|right/i.test(name) ? "right" : null;
}
