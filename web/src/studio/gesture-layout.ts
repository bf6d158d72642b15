import { lanes } from "../timeline-layout";
import type { DocumentGesture, TimelineRow } from "./messages";

/** A gesture in time: its stroke from `start` to `strokeEnd`, then a hold to `end`. Seconds. */
export interface Block {
  readonly id: number;
  readonly start: number;
  readonly strokeEnd: number;
  readonly end: number;
}

export const SHORTEST_STROKE_S = 0.06;

export function blockOf(gesture: DocumentGesture): Block {
  const start = Math.max(gesture.time_s - gesture.stroke_s, 0);
  return { id: gesture.id, start, strokeEnd: gesture.time_s, end: gesture.time_s + gesture.hold_s };
}

export interface Placed extends Block {
  readonly gesture: DocumentGesture;
  readonly lane: number;
}

/** Gestures in order of time, those that overlap below each other. */
export function placed(gestures: readonly DocumentGesture[]): { blocks: Placed[]; lanes: number } {
  const sorted = gestures.map((gesture) => ({ ...blockOf(gesture), gesture })).sort((a, b) => a.start - b.start);
  const { lane, count } = lanes(sorted.map(({ start, end }) => [start, Math.max(end, start), ""]));
  return { blocks: sorted.map((block, i) => ({ ...block, lane: lane[i] ?? 0 })), lanes: count };
}

/** Numbers of a model's movements tell a person nothing: their pieces are shown without them. */
export function withoutNumbers(row: TimelineRow): TimelineRow {
  const numbers = row.name !== "words" && row.labels.every((label) => /^\d+$/.test(label));
  return numbers ? { ...row, labels: row.labels.map(() => "") } : row;
}

/** Ends of the words, in order. */
export function wordEnds(rows: readonly TimelineRow[]): readonly number[] {
  return rows.find(({ name }) => name === "words")?.ends ?? [];
}

/** The nearest of the targets if it is not further than `within`, otherwise the time itself. */
export function snapped(time: number, targets: readonly number[], within: number): number {
  let best = time;
  let nearest = within;
  for (const target of targets) {
    const off = Math.abs(target - time);
    if (off <= nearest) [nearest, best] = [off, target];
  }
  return best;
}

/** When and how long; what a drag changes. */
export interface Timing {
  readonly time_s: number;
  readonly stroke_s: number;
}

/** A gesture whose stroke ends at another time. */
export function movedTo(gesture: Timing, time: number, duration: number): Timing {
  const earliest = Math.min(gesture.stroke_s, duration);
  return { time_s: rounded(Math.min(Math.max(time, earliest), duration)), stroke_s: gesture.stroke_s };
}

/** A gesture whose stroke begins when it did and ends at another time. */
export function stretchedTo(gesture: Timing, time: number, duration: number): Timing {
  const start = gesture.time_s - gesture.stroke_s;
  const end = Math.min(Math.max(time, start + SHORTEST_STROKE_S), duration);
  return { time_s: rounded(end), stroke_s: rounded(end - start) };
}

function rounded(seconds: number): number {
  return Math.round(seconds * 1000) / 1000;
}

/** Rows of the timeline other than gestures, in the order they are shown. */
const ORDER = ["sentences", "words", "left-arm", "right-arm", "arms", "head", "lower", "phones"];

export function orderedRows(rows: readonly TimelineRow[]): TimelineRow[] {
  const rank = (name: string): number => {
    const at = ORDER.indexOf(name);
    return at < 0 ? ORDER.length - 1.5 : at;
  };
  return rows.filter(({ name }) => name !== "gestures").sort((a, b) => rank(a.name) - rank(b.name));
}

/** The gesture at a time, or the one before or after a gesture; undefined where there is none. */
export function neighbour(gestures: readonly DocumentGesture[], id: number, by: 1 | -1): DocumentGesture | undefined {
  const sorted = [...gestures].sort((a, b) => a.time_s - b.time_s);
  return sorted[sorted.findIndex((gesture) => gesture.id === id) + by];
}
