/** A factor of Effort or Shape, and what its ends are called. */
export interface Factor {
  readonly name: string;
  readonly label: string;
  readonly group: "effort" | "shape";
  /** Names of -1 and 1. */
  readonly ends: readonly [string, string];
  readonly armsOnly?: true;
}

export const FACTORS: readonly Factor[] = [
  { name: "space", label: "Space", group: "effort", ends: ["Indirect", "Direct"] },
  { name: "weight", label: "Weight", group: "effort", ends: ["Light", "Strong"] },
  { name: "time", label: "Time", group: "effort", ends: ["Sustained", "Sudden"] },
  { name: "flow", label: "Flow", group: "effort", ends: ["Free", "Bound"] },
  { name: "horizontal", label: "Horizontal", group: "shape", ends: ["Spreading", "Enclosing"] },
  { name: "vertical", label: "Vertical", group: "shape", ends: ["Rising", "Sinking"] },
  { name: "sagittal", label: "Sagittal", group: "shape", ends: ["Advancing", "Retreating"] },
  { name: "reach", label: "Reach", group: "shape", ends: ["Near", "Far"], armsOnly: true },
];

export function factorOf(name: string): Factor {
  const found = FACTORS.find((factor) => factor.name === name);
  if (!found) throw new Error(`${name} is not a factor; allowed are ${FACTORS.map((f) => f.name).join(", ")}`);
  return found;
}

const ALONE = ["left-arm", "right-arm", "torso"];

/** Parts of the document that a choice such as "both arms" stands for. */
export function partsOf(choice: string): readonly string[] {
  if (ALONE.includes(choice)) return [choice];
  return choice.includes("body") ? ALONE : ["left-arm", "right-arm"];
}

/** Whether a factor does anything for these parts. */
export function applies(factor: Factor, parts: readonly string[]): boolean {
  return !factor.armsOnly || parts.some((part) => part !== "torso");
}

/** A number as a person reads it, with a true minus. */
export function signed(value: number, digits = 2): string {
  const text = Math.abs(value).toFixed(digits);
  if (Number(text) === 0) return text;
  return value < 0 ? `\u2212${text}` : `+${text}`;
}
