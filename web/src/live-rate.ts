const WINDOW_S = 1;

/** How often something happens a second, counted over the last second. */
export class Rate {
  #times: number[] = [];
  #since: number | null = null;

  note(now: number): void {
    this.#since ??= now;
    this.#times.push(now);
    this.#forget(now);
  }

  at(now: number): number {
    this.#forget(now);
    const watched = Math.min(now - (this.#since ?? now), WINDOW_S);
    // In the first moments there is too little to go by.
    return watched < 0.25 * WINDOW_S ? 0 : this.#times.length / watched;
  }

  #forget(now: number): void {
    while ((this.#times[0] ?? now) < now - WINDOW_S) this.#times.shift();
  }
}
