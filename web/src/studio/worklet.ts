import { SoundChunks } from "./sound-chunks";

// The scope of a worklet, of which TypeScript's own library has no description.
declare abstract class AudioWorkletProcessor {
  readonly port: MessagePort;
}
declare function registerProcessor(name: string, made: new () => AudioWorkletProcessor): void;
declare const sampleRate: number;
declare const currentTime: number;

/** What a worklet posts: a chunk, and the time of the audio clock at which it was complete. */
export interface WorkletChunk {
  readonly samples: Float32Array<ArrayBuffer>;
  readonly time: number;
}

const CHUNKS_A_SECOND = 100;

/** Hands what it hears to the page in chunks of 10 ms. */
class ChunkProcessor extends AudioWorkletProcessor {
  readonly #chunks = new SoundChunks(Math.round(sampleRate / CHUNKS_A_SECOND), (samples) => {
    const message: WorkletChunk = { samples, time: currentTime };
    this.port.postMessage(message, [samples.buffer]);
  });

  process(inputs: readonly (readonly Float32Array[])[]): boolean {
    this.#chunks.add(inputs[0] ?? []);
    return true;
  }
}

registerProcessor("kinesphere-chunks", ChunkProcessor);
