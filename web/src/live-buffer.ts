import type { Frame } from "./live-frames";

const LONGEST_FRAMES = 512;

/** Two frames around a time, and how far it is on the way from one to the other. */
export interface Between {
  readonly before: Frame;
  readonly after: Frame;
  readonly ratio: number;
}

/** The newest frames in order of time. */
export class FrameBuffer {
  #frames: Frame[] = [];

  /** Time of the newest frame; null where there is none. */
  get newest(): number | null {
    return this.#frames.at(-1)?.time ?? null;
  }

  get length(): number {
    return this.#frames.length;
  }

  /** Add a frame; true where time went back, so that all before is forgotten. */
  add(frame: Frame): boolean {
    const newest = this.newest;
    const again = newest !== null && frame.time <= newest;
    if (again) this.#frames = [];
    this.#frames.push(frame);
    if (this.#frames.length > LONGEST_FRAMES) this.#frames.shift();
    return again;
  }

  clear(): void {
    this.#frames = [];
  }

  /** The frames around a time, before the first and after the last those; older ones go. */
  around(time: number): Between | null {
    while ((this.#frames[1]?.time ?? Infinity) <= time) this.#frames.shift();
    const [before, next] = this.#frames;
    if (!before) return null;
    const after = next ?? before;
    const span = after.time - before.time;
    const ratio = span > 0 ? Math.min(Math.max((time - before.time) / span, 0), 1) : 0;
    return { before, after, ratio };
  }
}
