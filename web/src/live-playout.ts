/** Frames that came within this time say how late they can be, */
const WINDOW_S = 2;
/** and those within this time how early, so that a stream that has paused is soon on time again. */
const RECENT_S = 0.7;
/** A frame that is later than this against the fastest is not waited for. */
const LONGEST_WAIT_S = 0.3;
/** Beyond this the picture jumps; below it, it runs a little faster or slower. */
const JUMP_S = 0.25;
const HURRY_RATIO = 0.1;
const MARGIN_S = 0.002;
/** Frames further apart than this are not neighbours: some were skipped between them. */
const FURTHEST_S = 0.1;

interface Arrival {
  readonly at: number;
  /** Time of arrival minus time of the frame, */
  readonly late: number;
  /** and minus that of the frame before: the movement from there on was waited for. */
  readonly waited: number;
}

/** How patient a playout is. */
export interface Pace {
  /** How much later than the fastest a frame may be and still be waited for; seconds. */
  readonly longest: number;
  /** How much faster than time the picture may run when it is behind. */
  readonly hurry: number;
  /** Beyond this the picture jumps; seconds. */
  readonly jump: number;
}

/**
 * Which time of the stream to show at which moment: so long after the frames come that the next
 * one is nearly always there, and no longer. Sound comes in pieces, and so do frames: those of one
 * piece come at once. Seconds, `now` from any origin.
 */
export class Playout {
  #arrivals: Arrival[] = [];
  #before: number | null = null;
  #time: number | null = null;
  #now = 0;
  readonly #pace: Pace;

  constructor(pace: Partial<Pace> = {}) {
    this.#pace = { longest: LONGEST_WAIT_S, hurry: HURRY_RATIO, jump: JUMP_S, ...pace };
  }

  /** The time that is shown; null before there is one. */
  get time(): number | null {
    return this.#time;
  }

  /** How much older the picture is than the newest frame could be. */
  get delay(): number {
    return this.#time === null ? 0 : this.#now - this.#fastest() - this.#time;
  }

  reset(): void {
    this.#arrivals = [];
    this.#before = null;
    this.#time = null;
  }

  /** A frame of this time has come. */
  note(time: number, now: number): void {
    const step = time - (this.#before ?? time);
    const late = now - time;
    this.#arrivals.push({ at: now, late, waited: late + (step < FURTHEST_S ? step : 0) });
    this.#before = time;
    while ((this.#arrivals[0]?.at ?? now) < now - WINDOW_S) this.#arrivals.shift();
  }

  /** Move on to a moment; `newest` is the time of the last frame, which is not passed. */
  tick(now: number, newest: number): number {
    const wanted = now - this.#wait();
    const passed = Math.max(now - this.#now, 0);
    this.#now = now;
    let time = this.#time === null ? wanted : this.#time + passed;
    const off = wanted - time;
    if (Math.abs(off) > this.#pace.jump) time = wanted;
    else time += Math.min(Math.max(off, -HURRY_RATIO * passed), this.#pace.hurry * passed);
    this.#time = Math.min(time, newest);
    return this.#time;
  }

  #wait(): number {
    let latest = -Infinity;
    for (const { waited } of this.#arrivals) latest = Math.max(latest, waited);
    return Math.min(latest, this.#fastest() + this.#pace.longest) + MARGIN_S;
  }

  #fastest(): number {
    const recent = (this.#arrivals.at(-1)?.at ?? 0) - RECENT_S;
    let fastest = Infinity;
    for (const { at, late } of this.#arrivals) if (at >= recent) fastest = Math.min(fastest, late);
    return fastest;
  }
}
