import type { Directing, PhrasePoint, TimelineRow } from "./messages";

/** A point of one curve. */
export interface CurvePoint {
  readonly time: number;
  readonly value: number;
}

/** Points of one factor of one part, in order of time. */
export type Curve = readonly CurvePoint[];

/** Points of a curve are at least this far apart in seconds: of two at one time, neither could hold. */
export const CLOSEST_S = 0.01;

export function curveOf(phrase: readonly PhrasePoint[], part: string, factor: string): Curve {
  return phrase
    .filter((point) => point.part === part && point.factor === factor)
    .map((point) => ({ time: point.time_s, value: point.value }))
    .sort((a, b) => a.time - b.time);
}

/** The phrase with a factor's curve put in place of the old one, in each of the parts. */
export function withCurve(
  phrase: readonly PhrasePoint[],
  parts: readonly string[],
  factor: string,
  curve: Curve,
): PhrasePoint[] {
  const kept = phrase.filter((point) => point.factor !== factor || !parts.includes(point.part));
  const points = parts.flatMap((part) =>
    curve.map((point) => ({ part, factor, time_s: point.time, value: point.value })),
  );
  return [...kept, ...points];
}

/** Value at a time: eased between points, held before the first and after the last; null without points. */
export function valueAt(curve: Curve, time: number): number | null {
  const [first, last] = [curve[0], curve[curve.length - 1]];
  if (!first || !last) return null;
  if (time <= first.time) return first.value;
  if (time >= last.time) return last.value;
  const i = curve.findIndex((point) => point.time > time);
  const [a, b] = [curve[i - 1] ?? first, curve[i] ?? last];
  const r = (time - a.time) / (b.time - a.time);
  return a.value + (b.value - a.value) * r * r * (3 - 2 * r);
}

/** The curve with a point more, and where that one is; null if there is no room for it. */
export function added(curve: Curve, point: CurvePoint): { readonly curve: Curve; readonly index: number } | null {
  const fresh = cleaned(point);
  if (curve.some((other) => Math.abs(other.time - fresh.time) < CLOSEST_S - 1e-9)) return null;
  const found = curve.findIndex((other) => other.time > fresh.time);
  const index = found < 0 ? curve.length : found;
  return { curve: [...curve.slice(0, index), fresh, ...curve.slice(index)], index };
}

/** The curve with one point elsewhere, but never past its neighbours or out of the take. */
export function movedPoint(curve: Curve, index: number, to: CurvePoint, duration: number): Curve {
  if (!curve[index]) return curve;
  const before = curve[index - 1];
  const after = curve[index + 1];
  const low = before ? before.time + CLOSEST_S : 0;
  const high = after ? after.time - CLOSEST_S : Math.max(duration, low);
  const time = Math.min(Math.max(to.time, low), Math.max(low, high));
  return curve.map((point, i) => (i === index ? cleaned({ time, value: to.value }) : point));
}

export function without(curve: Curve, index: number): Curve {
  return curve.filter((_, i) => i !== index);
}

/** To whole milliseconds and hundredths, within the range: what a person can mean. */
function cleaned(point: CurvePoint): CurvePoint {
  const value = Math.round(100 * Math.min(Math.max(point.value, -1), 1)) / 100;
  return { time: Math.round(1000 * Math.max(0, point.time)) / 1000, value: value === 0 ? 0 : value };
}

/** A moment that points snap to, and what happens then. */
export interface SnapTarget {
  readonly time: number;
  readonly label: string;
}

const PHASE_ROWS: Readonly<Record<string, string>> = { "left-arm": "left", "right-arm": "right" };

/** Whether a take has phases of each arm; one made from a voice has segments of both instead. */
function hasPhases(rows: readonly TimelineRow[]): boolean {
  return rows.some((row) => row.name in PHASE_ROWS);
}

/** Starts and ends of the phases of these parts' arms (the torso takes both), and of words. */
export function snapTargets(rows: readonly TimelineRow[], parts: readonly string[]): SnapTarget[] {
  const arms = parts.some((part) => part in PHASE_ROWS) ? parts : Object.keys(PHASE_ROWS);
  const found = new Map<number, string>();
  const note = (time: number, label: string): void => {
    const key = Math.round(1000 * time);
    if (!found.has(key)) found.set(key, label);
  };
  for (const row of rows.filter((r) => r.name in PHASE_ROWS && arms.includes(r.name))) {
    const side = PHASE_ROWS[row.name];
    row.starts.forEach((start, i) => note(start, `${side} ${row.labels[i] ?? "phase"} starts`));
    row.ends.forEach((end, i) => note(end, `${side} ${row.labels[i] ?? "phase"} ends`));
  }
  for (const row of hasPhases(rows) ? [] : rows.filter((r) => r.name === "arms")) {
    row.starts.forEach((start) => note(start, "a movement of the arms starts"));
    row.ends.forEach((end) => note(end, "a movement of the arms ends"));
  }
  for (const row of rows.filter((r) => r.name === "words")) {
    row.starts.forEach((start, i) => note(start, `\u201c${row.labels[i] ?? ""}\u201d starts`));
    row.ends.forEach((end, i) => note(end, `\u201c${row.labels[i] ?? ""}\u201d ends`));
  }
  return [...found].map(([key, label]) => ({ time: key / 1000, label })).sort((a, b) => a.time - b.time);
}

/** The nearest target within reach in seconds, or null. */
export function snapped(time: number, targets: readonly SnapTarget[], reach: number): SnapTarget | null {
  let best: SnapTarget | null = null;
  for (const target of targets) {
    const distance = Math.abs(target.time - time);
    if (distance <= reach && (!best || distance < Math.abs(best.time - time))) best = target;
  }
  return best;
}

/**
 * An SVG path of the curve. Easing by smoothstep is a cubic Bezier whose handles are level and a third
 * of the way, so the drawing is exact.
 */
export function pathOf(
  curve: Curve,
  x: (time: number) => number,
  y: (value: number) => number,
  from: number,
  to: number,
): string {
  const first = curve[0];
  if (!first) return "";
  const n = (value: number): string => value.toFixed(2);
  let path = `M${n(Math.min(x(from), x(first.time)))} ${n(y(first.value))}H${n(x(first.time))}`;
  for (let i = 1; i < curve.length; i += 1) {
    const [a, b] = [curve[i - 1] ?? first, curve[i] ?? first];
    const third = (x(b.time) - x(a.time)) / 3;
    path += `C${n(x(a.time) + third)} ${n(y(a.value))} ${n(x(b.time) - third)} ${n(y(b.value))}`;
    path += ` ${n(x(b.time))} ${n(y(b.value))}`;
  }
  const last = curve[curve.length - 1] ?? first;
  return `${path}H${n(Math.max(x(to), x(last.time)))}`;
}

/** Whether any of the parts has points for a factor. */
export function hasCurve(directing: Directing, parts: readonly string[], factor: string): boolean {
  return directing.phrase.some((point) => point.factor === factor && parts.includes(point.part));
}
