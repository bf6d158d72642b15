import { lastTime } from "./frames";

/** Which frames of a clip to visit for a path: all, or evenly fewer where that is too many. */
export function pathTimes(frames: number, fps: number, most = 2000): Float64Array {
  const count = Math.max(1, Math.min(frames, most));
  const end = lastTime(frames, fps);
  return Float64Array.from({ length: count }, (_, i) => (count > 1 ? (i / (count - 1)) * end : 0));
}

/** Every how many samples a dot comes so that there are about `rate` a second. */
export function dotsEvery(times: Float64Array, rate: number): number {
  const last = times[times.length - 1] ?? 0;
  return last > 0 ? Math.max(1, Math.round((times.length - 1) / last / rate)) : 1;
}

export type PathMode = "off" | "around" | "whole";

const AROUND_S = 0.75;

/** First index and number of the samples to draw. */
export function drawnRange(mode: PathMode, time: number, times: Float64Array): [number, number] {
  const last = times[times.length - 1] ?? 0;
  if (mode === "off" || times.length < 2) return [0, 0];
  if (mode === "whole") return [0, times.length];
  const rate = (times.length - 1) / last;
  const from = Math.max(0, Math.ceil((time - AROUND_S) * rate - 1e-6));
  const to = Math.min(times.length - 1, Math.floor((time + AROUND_S) * rate + 1e-6));
  return [from, Math.max(0, to - from + 1)];
}
