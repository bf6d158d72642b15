import { type Box3, Vector3 } from "three";

import { ARMS, type Framing } from "./framing";

/** A figure that goes further than this goes places, so that following it makes a difference. */
const TRAVELS_M = 1.2;

/** What figures cover over their takes, for one camera that sees any of them. */
export class Coverage {
  /** Largest extents of one figure. */
  readonly size = new Vector3();
  readonly travels: boolean;
  readonly #top: number;
  readonly #bottom: number;

  constructor(boxes: readonly Box3[]) {
    for (const box of boxes) this.size.max(box.getSize(new Vector3()));
    this.#top = Math.max(...boxes.map(({ max }) => max.y));
    this.#bottom = Math.min(0, ...boxes.map(({ min }) => min.y));
    this.travels = Math.max(this.size.x, this.size.z) > this.size.y * 0.6 + TRAVELS_M;
  }

  /** All that is covered, or the person alone where the camera follows. */
  framing(follow: boolean): Framing {
    const height = this.#top - this.#bottom;
    const person = ARMS * height;
    const wide = follow ? person : this.size.x / 2;
    const deep = follow ? person : Math.max(this.size.x, this.size.z) / 2;
    const middle = (this.#top + this.#bottom) / 2;
    return (view) => {
      const across = Math.max(view === "front" || view === "top" ? wide : deep, person);
      return { across, up: view === "top" ? deep : height / 2, middle };
    };
  }
}
