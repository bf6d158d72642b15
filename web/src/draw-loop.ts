import { type Level, Quality } from "./quality";

/** Draws when asked to, once for each picture of the browser, and on while there is more to see. */
export class DrawLoop {
  readonly #draw: () => boolean;
  readonly #degrade: (level: Level) => void;
  readonly #quality = new Quality();
  #asked = false;
  #before = 0;

  /** `draw` says whether more is to come; `degrade` is called where this machine is too slow. */
  constructor(draw: () => boolean, degrade: (level: Level) => void) {
    this.#draw = draw;
    this.#degrade = degrade;
  }

  ask(): void {
    if (this.#asked) return;
    this.#asked = true;
    requestAnimationFrame(this.#next);
  }

  readonly #next = (now: number): void => {
    this.#asked = false;
    // Only pictures that follow each other say how fast this machine draws.
    if (this.#before && this.#quality.note((now - this.#before) / 1000)) this.#degrade(this.#quality.level);
    const more = this.#draw();
    this.#before = more ? now : 0;
    if (more) this.ask();
  };
}
