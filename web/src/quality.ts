/** How richly to draw: 0 is everything, 1 is coarser pixels, 2 is also without shadows. */
export type Level = 0 | 1 | 2;

const SLOW_S = 0.045;
const PATIENCE = 4;

/** Steps down when frames in a row come slowly, so that a weak machine keeps up with the sound. */
export class Quality {
  #level: Level = 0;
  #slow = 0;

  get level(): Level {
    return this.#level;
  }

  /** Take note of the time between two frames while playing; true when the level changes. */
  note(frame_s: number): boolean {
    this.#slow = frame_s > SLOW_S ? this.#slow + 1 : Math.max(0, this.#slow - 1);
    if (this.#slow < PATIENCE || this.#level === 2) return false;
    this.#level = this.#level === 0 ? 1 : 2;
    this.#slow = 0;
    return true;
  }
}
