export const FLOOR_DB = -60;
/** How fast the bar falls; it rises at once. */
const FALL_DB_S = 24;
/** How long the highest peak stands before it falls too. */
const HOLD_S = 1.5;
/** How long a clipped sample stays marked. */
const CLIP_S = 3;
/** From here a sample counts as clipped: converters do not all reach 1. */
const CLIPPED = 0.997;
/** Below this loudness nobody speaks, and a microphone is probably muted. */
const SILENT_DB = -75;
const QUIET_AFTER_S = 3;

export interface Loudness {
  readonly rms: number;
  readonly peak: number;
}

export function loudnessOf(samples: Float32Array): Loudness {
  let [sum, peak] = [0, 0];
  for (let i = 0; i < samples.length; i += 1) {
    const sample = Math.abs(samples[i] ?? 0);
    sum += sample * sample;
    if (sample > peak) peak = sample;
  }
  return { rms: Math.sqrt(sum / Math.max(1, samples.length)), peak };
}

export function decibels(amplitude: number): number {
  return amplitude > 0 ? 20 * Math.log10(amplitude) : -Infinity;
}

/** Where a level stands on the meter, from 0 to 1. */
export function onScale(db: number): number {
  return Math.min(Math.max((db - FLOOR_DB) / -FLOOR_DB, 0), 1);
}

/** How a level meter moves: up at once, down slowly, with the highest peak and clipping kept for a while. */
export class LevelBallistics {
  level_db = -Infinity;
  peak_db = -Infinity;
  #at = 0;
  #peakAt = -Infinity;
  #clippedAt = -Infinity;
  #heardAt = -Infinity;

  /** Sound that came at a time, in seconds. */
  hear(sound: Loudness, time: number): void {
    this.advance(time);
    if (this.#heardAt === -Infinity) this.#heardAt = time;
    const [level, peak] = [decibels(sound.rms), decibels(sound.peak)];
    if (level > SILENT_DB) this.#heardAt = time;
    if (level > this.level_db) this.level_db = level;
    if (peak >= this.peak_db) {
      this.peak_db = peak;
      this.#peakAt = time;
    }
    if (sound.peak >= CLIPPED) this.#clippedAt = time;
  }

  /** Let time pass. */
  advance(time: number): void {
    const seconds = Math.max(0, time - this.#at);
    this.level_db = fallen(this.level_db, seconds);
    this.peak_db = fallen(this.peak_db, Math.min(seconds, Math.max(0, time - this.#peakAt - HOLD_S)));
    this.#at = Math.max(this.#at, time);
  }

  clipped(time: number): boolean {
    return time - this.#clippedAt < CLIP_S;
  }

  /** Whether nothing at all has been heard for so long that something is wrong. */
  silent(time: number): boolean {
    return this.#heardAt > -Infinity && time - this.#heardAt > QUIET_AFTER_S;
  }

  reset(): void {
    this.level_db = this.peak_db = -Infinity;
    this.#at = 0;
    this.#peakAt = this.#clippedAt = this.#heardAt = -Infinity;
  }
}

function fallen(db: number, seconds: number): number {
  const lower = db - FALL_DB_S * seconds;
  return lower < FLOOR_DB - 20 ? -Infinity : lower;
}
