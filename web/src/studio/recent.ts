/** The last so many numbers, oldest first when listed. */
export class Recent {
  readonly #values: Float64Array;
  #count = 0;

  constructor(size: number) {
    this.#values = new Float64Array(size);
  }

  get length(): number {
    return Math.min(this.#count, this.#values.length);
  }

  add(value: number): void {
    this.#values[this.#count % this.#values.length] = value;
    this.#count += 1;
  }

  list(): number[] {
    const size = this.#values.length;
    const first = this.#count > size ? this.#count % size : 0;
    return Array.from({ length: this.length }, (_, i) => this.#values[(first + i) % size] ?? 0);
  }
}
