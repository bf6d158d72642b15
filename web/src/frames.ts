/** Frames and seconds of a clip. Frame 0 is at 0 s; a clip of n frames lasts (n - 1) / fps. */

export function lastTime(frames: number, fps: number): number {
  return Math.max(frames - 1, 0) / fps;
}

/** The frame that is showing at a time: the nearest one. */
export function frameAt(time: number, fps: number): number {
  return Math.max(0, Math.round(time * fps));
}

/**
 * The time a number of frames on. Between two frames, the first step goes to the neighbour in that
 * direction, so that a step never skips a frame.
 */
export function stepped(time: number, by: number, fps: number, duration: number): number {
  const exact = time * fps;
  const nearest = Math.round(exact);
  const onFrame = Math.abs(exact - nearest) < 1e-3;
  const base = onFrame ? nearest : by > 0 ? Math.floor(exact) : Math.ceil(exact);
  return Math.min(Math.max((base + by) / fps, 0), duration);
}

/** Minutes, seconds and milliseconds: `0:04.250`. */
export function clockText(time: number): string {
  const ms = Math.round(Math.max(time, 0) * 1000);
  const minutes = Math.floor(ms / 60000);
  const seconds = Math.floor(ms / 1000) % 60;
  return `${minutes}:${String(seconds).padStart(2, "0")}.${String(ms % 1000).padStart(3, "0")}`;
}
