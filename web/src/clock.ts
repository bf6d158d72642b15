/**
 * What a running master says: where it is in seconds, "waiting" while it is about to run (time
 * stands still with it), or "silent" when it has nothing to play there.
 */
export type Reading = number | "waiting" | "silent";

/** Something that keeps time better than we can, because it cannot be moved: sound. */
export interface Master {
  play(at: number, rate: number): void;
  pause(): void;
  read(): Reading;
}

/** Beyond this the picture jumps to the sound; below it, it drifts there without a jolt. */
const JUMP_S = 0.04;
const DRIFT_RATIO = 0.15;

/** The one time that everything on the page shows. Seconds, from 0 to `duration`. */
export class Clock {
  loop = true;
  #time = 0;
  #rate = 1;
  #playing = false;
  #duration: number;
  #anchor = 0;
  #master: Master | null = null;
  readonly #now: () => number;

  /** `now` gives seconds from any origin. */
  constructor(duration: number, now: () => number = () => performance.now() / 1000) {
    this.#duration = duration;
    this.#now = now;
  }

  get time(): number {
    return this.#time;
  }

  get duration(): number {
    return this.#duration;
  }

  get playing(): boolean {
    return this.#playing;
  }

  get rate(): number {
    return this.#rate;
  }

  set rate(rate: number) {
    this.tick();
    this.#rate = rate;
    this.#restart();
  }

  set master(master: Master | null) {
    this.tick();
    this.#master?.pause();
    this.#master = master;
    this.#restart();
  }

  lengthen(duration: number): void {
    this.#duration = Math.max(this.#duration, duration);
  }

  /** Another length; the time stays where it is as far as there is something there. */
  fit(duration: number): void {
    this.tick();
    this.#duration = Math.max(duration, 0);
    if (this.#time > this.#duration) this.seek(this.#duration);
  }

  /** Play from here, or from the start when at the end. */
  play(): void {
    if (this.#playing) return;
    if (this.#time >= this.#duration - 1e-6) this.#time = 0;
    this.#playing = true;
    this.#restart();
  }

  pause(): void {
    if (!this.#playing) return;
    this.tick();
    this.#stop();
  }

  seek(time: number): void {
    this.#time = Math.min(Math.max(time, 0), this.#duration);
    this.#restart();
  }

  /** Move on to the present moment and return the time. */
  tick(): number {
    if (!this.#playing) return this.#time;
    const now = this.#now();
    const reading = this.#master?.read() ?? "silent";
    if (reading !== "waiting") {
      this.#time += (now - this.#anchor) * this.#rate;
      if (reading !== "silent") this.#time = towards(this.#time, reading);
    }
    this.#anchor = now;
    if (this.#time >= this.#duration) this.#end();
    return this.#time;
  }

  #end(): void {
    if (this.loop && this.#duration > 0) {
      this.#time %= this.#duration;
      this.#restart();
    } else {
      this.#time = this.#duration;
      this.#stop();
    }
  }

  #stop(): void {
    this.#playing = false;
    this.#master?.pause();
  }

  #restart(): void {
    this.#anchor = this.#now();
    if (this.#playing) this.#master?.play(this.#time, this.#rate);
  }
}

function towards(time: number, master: number): number {
  const off = master - time;
  return Math.abs(off) > JUMP_S ? master : time + DRIFT_RATIO * off;
}
