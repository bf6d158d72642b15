/** Calls an act with the newest value, at once if it has rested long enough and else as soon as it has. */
export class Throttle<Value> {
  readonly #act: (value: Value) => void;
  readonly #restMs: number;
  #last = -Infinity;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #waiting: { readonly value: Value } | null = null;

  constructor(act: (value: Value) => void, timesASecond: number) {
    this.#act = act;
    this.#restMs = 1000 / timesASecond;
  }

  call(value: Value): void {
    this.#waiting = { value };
    if (this.#timer !== null) return;
    const rest = this.#last + this.#restMs - performance.now();
    if (rest <= 0) this.flush();
    else this.#timer = setTimeout(() => this.flush(), rest);
  }

  /** What waits is done now: at the end of a drag nothing is left behind. */
  flush(): void {
    const waiting = this.#waiting;
    this.cancel();
    if (!waiting) return;
    this.#last = performance.now();
    this.#act(waiting.value);
  }

  /** What waits is not done at all. */
  cancel(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#waiting = null;
  }
}
