const WAV_HEAD = 44;

/** What was said, kept in the page as 16 bit, so that a lost connection does not lose it. */
export class KeptSound {
  readonly rateHz: number;
  readonly #longest: number;
  #chunks: Int16Array[] = [];
  #count = 0;

  constructor(rateHz: number, longestS = 600) {
    this.rateHz = rateHz;
    this.#longest = longestS * rateHz;
  }

  get seconds(): number {
    return this.#count / this.rateHz;
  }

  /** Past the longest, nothing more is kept. */
  add(samples: Float32Array): void {
    if (this.#count + samples.length > this.#longest) return;
    const kept = new Int16Array(samples.length);
    for (let i = 0; i < kept.length; i += 1) {
      kept[i] = Math.round(32767 * Math.min(Math.max(samples[i] ?? 0, -1), 1));
    }
    this.#chunks.push(kept);
    this.#count += kept.length;
  }

  wav(): ArrayBuffer {
    const buffer = new ArrayBuffer(WAV_HEAD + 2 * this.#count);
    const data = new DataView(buffer);
    const rate = Math.round(this.rateHz);
    const word = (at: number, text: string): void => {
      for (let i = 0; i < text.length; i += 1) data.setUint8(at + i, text.charCodeAt(i));
    };
    word(0, "RIFF");
    data.setUint32(4, buffer.byteLength - 8, true);
    word(8, "WAVEfmt ");
    data.setUint32(16, 16, true);
    data.setUint16(20, 1, true); // PCM
    data.setUint16(22, 1, true); // mono
    data.setUint32(24, rate, true);
    data.setUint32(28, 2 * rate, true);
    data.setUint16(32, 2, true);
    data.setUint16(34, 16, true);
    word(36, "data");
    data.setUint32(40, 2 * this.#count, true);
    const samples = new Int16Array(buffer, WAV_HEAD);
    let at = 0;
    for (const chunk of this.#chunks) {
      samples.set(chunk, at);
      at += chunk.length;
    }
    return buffer;
  }
}
