/** Collects the blocks of an audio graph into mono chunks of equal length. */
export class SoundChunks {
  readonly #size: number;
  readonly #send: (samples: Float32Array<ArrayBuffer>) => void;
  #chunk: Float32Array<ArrayBuffer>;
  #filled = 0;

  constructor(size: number, send: (samples: Float32Array<ArrayBuffer>) => void) {
    this.#size = size;
    this.#send = send;
    this.#chunk = new Float32Array(size);
  }

  /** A block of one or more channels, whose mean is taken; without channels nothing happens. */
  add(channels: readonly Float32Array[]): void {
    const length = channels[0]?.length ?? 0;
    for (let i = 0; i < length; i += 1) {
      let sum = 0;
      for (const channel of channels) sum += channel[i] ?? 0;
      this.#chunk[this.#filled] = sum / channels.length;
      this.#filled += 1;
      if (this.#filled === this.#size) this.#next();
    }
  }

  #next(): void {
    const full = this.#chunk;
    // The one sent is given away with its memory.
    this.#chunk = new Float32Array(this.#size);
    this.#filled = 0;
    this.#send(full);
  }
}
