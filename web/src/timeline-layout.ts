import type { CurveData, SceneData, TierData } from "./page-data";

/** The stretch of time that the timeline shows. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export function xOf(time: number, span: Span, width: number): number {
  return ((time - span.start) / (span.end - span.start)) * width;
}

export function timeAt(x: number, span: Span, width: number): number {
  return span.start + (x / width) * (span.end - span.start);
}

const SHORTEST_S = 0.25;

/** The span made longer or shorter by a factor with one moment staying in place. */
export function zoomed(span: Span, factor: number, at: number, duration: number): Span {
  const length = span.end - span.start;
  const wanted = Math.min(Math.max(length * factor, Math.min(SHORTEST_S, duration)), duration);
  return within(at - ((at - span.start) / length) * wanted, wanted, duration);
}

export function moved(span: Span, by: number, duration: number): Span {
  return within(span.start + by, span.end - span.start, duration);
}

/** The span turned on a page when the time has run out of it. */
export function following(span: Span, time: number, duration: number): Span {
  if (time >= span.start && time <= span.end) return span;
  return within(time - 0.05 * (span.end - span.start), span.end - span.start, duration);
}

function within(start: number, length: number, duration: number): Span {
  const first = Math.min(Math.max(start, 0), duration - length);
  return { start: first, end: first + length };
}

const STEPS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600];

/** Round times for the ruler, no closer than `apart` pixels. */
export function ticks(span: Span, width: number, apart = 72): number[] {
  const perPixel = (span.end - span.start) / Math.max(width, 1);
  const step = STEPS.find((s) => s / perPixel >= apart) ?? 1200;
  const found: number[] = [];
  for (let k = Math.ceil(span.start / step - 1e-9); k * step <= span.end + 1e-9; k += 1) {
    found.push(k * step);
  }
  return found;
}

/** For every interval the first lane in which nothing is in its way, and how many lanes it took. */
export function lanes(intervals: TierData["intervals"]): { lane: number[]; count: number } {
  const free: number[] = [];
  const lane = intervals.map(([start, end]) => {
    const found = free.findIndex((from) => from <= start + 1e-9);
    const mine = found < 0 ? free.length : found;
    free[mine] = end;
    return mine;
  });
  return { lane, count: Math.max(free.length, 1) };
}

interface RowPlace {
  readonly scene: number;
  readonly y: number;
  readonly height: number;
}

export interface TierRow extends RowPlace {
  readonly kind: "tier";
  readonly tier: TierData;
  readonly lane: readonly number[];
  readonly laneCount: number;
}

export interface CurveRow extends RowPlace {
  readonly kind: "curve";
  readonly curve: CurveData;
  readonly low: number;
  readonly high: number;
}

export interface SoundRow extends RowPlace {
  readonly kind: "sound";
  readonly name?: string;
  readonly peaks: Float32Array;
  readonly duration: number;
}

export interface TitleRow extends RowPlace {
  readonly kind: "title";
  readonly title: string;
}

export type Row = TierRow | CurveRow | SoundRow | TitleRow;

export interface Waveform {
  /** Of the row; "sound" if not said. */
  readonly name?: string;
  readonly peaks: Float32Array;
  readonly duration: number;
}

const LANE = 20;
const GAP = 4;
const TALL = 36;

/** Every row of every scene from top to bottom; a scene's title where there are several. */
export function rowsOf(
  scenes: readonly Pick<SceneData, "title" | "tiers" | "curves">[],
  waveforms: readonly (Waveform | null)[],
): { rows: Row[]; height: number } {
  const rows: Row[] = [];
  let y = 0;
  const add = (row: Row): void => {
    rows.push(row);
    y += row.height + GAP;
  };
  scenes.forEach((data, scene) => {
    const wave = waveforms[scene];
    if (scenes.length > 1 && (wave || data.tiers.length || data.curves.length)) {
      add({ kind: "title", title: data.title, scene, y, height: LANE });
    }
    if (wave) add({ kind: "sound", ...wave, scene, y, height: TALL });
    for (const tier of data.tiers) {
      const { lane, count } = lanes(tier.intervals);
      add({ kind: "tier", tier, lane, laneCount: count, scene, y, height: LANE * count });
    }
    for (const curve of data.curves) {
      add({ kind: "curve", curve, ...bounds(curve), scene, y, height: TALL });
    }
  });
  return { rows, height: rows.length ? y + GAP : 0 };
}

/** Least and greatest value, never the same. */
export function bounds(curve: CurveData): { low: number; high: number } {
  let [low, high] = [Infinity, -Infinity];
  for (const [, value] of curve.samples) {
    if (value === null) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (low > high) return { low: 0, high: 1 };
  return low === high ? { low: low - 0.5, high: high + 0.5 } : { low, high };
}

/** What is at a place in the timeline, in words. */
export function described(rows: readonly Row[], time: number, y: number): string {
  const row = rows.find((r) => y >= r.y && y < r.y + r.height);
  if (row?.kind === "tier") {
    const lane = Math.floor(((y - row.y) / row.height) * row.laneCount);
    const i = row.tier.intervals.findIndex(
      ([start, end], k) => row.lane[k] === lane && time >= start && time <= end,
    );
    const found = row.tier.intervals[i];
    if (!found) return row.tier.name;
    return `${row.tier.name}: ${found[2]} (${found[0].toFixed(2)} to ${found[1].toFixed(2)} s)`;
  }
  if (row?.kind === "curve") {
    const value = valueAt(row.curve, time);
    return value === null ? row.curve.name : `${row.curve.name}: ${value.toPrecision(4)}`;
  }
  return "";
}

function valueAt(curve: CurveData, time: number): number | null {
  let best: readonly [number, number | null] | undefined;
  for (const sample of curve.samples) {
    if (!best || Math.abs(sample[0] - time) < Math.abs(best[0] - time)) best = sample;
  }
  return best ? best[1] : null;
}
