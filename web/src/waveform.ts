import type { Waveform } from "./timeline-layout";

const PEAKS_A_SECOND = 100;

/** Largest absolute sample in each of `count` equal stretches. */
export function peaksOf(samples: Float32Array, count: number): Float32Array {
  const peaks = new Float32Array(count);
  for (let i = 0; i < samples.length; i += 1) {
    const bin = Math.min(count - 1, Math.floor((i / samples.length) * count));
    peaks[bin] = Math.max(peaks[bin] ?? 0, Math.abs(samples[i] ?? 0));
  }
  return peaks;
}

/** The outline of a sound file, or null where the browser cannot decode it. */
export async function waveformOf(wav: Uint8Array<ArrayBuffer>): Promise<Waveform | null> {
  try {
    const context = new OfflineAudioContext(1, 1, 16000);
    const sound = await context.decodeAudioData(wav.slice().buffer);
    const count = Math.max(1, Math.ceil(sound.duration * PEAKS_A_SECOND));
    return { peaks: peaksOf(sound.getChannelData(0), count), duration: sound.duration };
  } catch {
    return null;
  }
}
