import type { Frame } from "./live-frames";

const LONGEST_FRAMES = 512;

/** The newest frames in order of time. After `find` the fields say between which of them that is. */
export class FrameBuffer {
  before: Frame | null = null;
  after: Frame | null = null;
  /** How far the time is on the way from one to the other. */
  ratio = 0;
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

  /** Find the frames around a time, before the first and after the last those; older ones go. */
  find(time: number): void {
    while ((this.#frames[1]?.time ?? Infinity) <= time) this.#frames.shift();
    this.before = this.#frames[0] ?? null;
    this.after = this.#frames[1] ?? this.before;
    const start = this.before?.time ?? 0;
    const span = (this.after?.time ?? 0) - start;
    this.ratio = span > 0 ? Math.min(Math.max((time - start) / span, 0), 1) : 0;
  }
}
