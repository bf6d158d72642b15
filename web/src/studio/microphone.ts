import { troubleOf } from "./talk-state";
import type { TalkTrouble } from "./talk-state";
import type { WorkletChunk } from "./worklet";

/** Why the microphone could not be opened. */
export class MicrophoneError extends Error {
  readonly trouble: TalkTrouble;

  constructor(trouble: TalkTrouble) {
    super(trouble);
    this.trouble = trouble;
  }
}

export interface Device {
  readonly id: string;
  readonly label: string;
}

/** A microphone as it is: nothing of the browser's own that would change the voice is on. */
export class Microphone {
  /** A chunk of mono sound of about 10 ms. */
  onChunk: (samples: Float32Array<ArrayBuffer>) => void = () => {};
  onUnplugged: () => void = () => {};
  #stream: MediaStream | null = null;
  #context: AudioContext | null = null;
  #opening = 0;

  get open(): boolean {
    return this.#context !== null;
  }

  /** The id of the device that is open, as far as the browser tells. */
  get device(): string {
    return this.#stream?.getAudioTracks()[0]?.getSettings().deviceId ?? "";
  }

  /** Open a device ("" for the usual one); resolves to the sampling rate, throws `MicrophoneError`. */
  async start(device: string): Promise<number> {
    this.stop();
    const turn = (this.#opening += 1);
    const stream = await asked(device);
    const context = new AudioContext({ latencyHint: "interactive" });
    // Closed, or asked for another device, while the person thought about it.
    if (turn !== this.#opening) {
      release(stream, context);
      throw new MicrophoneError("busy");
    }
    [this.#stream, this.#context] = [stream, context];
    try {
      await this.#listen(stream, context);
    } catch {
      this.stop();
      throw new MicrophoneError("no-worklet");
    }
    stream.getAudioTracks()[0]?.addEventListener("ended", () => {
      if (this.#stream !== stream) return;
      this.stop();
      this.onUnplugged();
    });
    return context.sampleRate;
  }

  stop(): void {
    this.#opening += 1;
    if (this.#stream && this.#context) release(this.#stream, this.#context);
    this.#stream = this.#context = null;
  }

  async #listen(stream: MediaStream, context: AudioContext): Promise<void> {
    await context.audioWorklet.addModule("worklet.js");
    const node = new AudioWorkletNode(context, "kinesphere-chunks", { outputChannelCount: [1] });
    node.port.onmessage = (event: MessageEvent<WorkletChunk>) => {
      if (this.#context === context) this.onChunk(event.data.samples);
    };
    // The node gives silence; connected, it is run by every browser.
    context.createMediaStreamSource(stream).connect(node).connect(context.destination);
    if (context.state === "suspended") await context.resume();
  }
}

async function asked(device: string): Promise<MediaStream> {
  if (!navigator.mediaDevices) throw new MicrophoneError("insecure");
  const plain = { echoCancellation: false, noiseSuppression: false, autoGainControl: false };
  try {
    return await navigator.mediaDevices.getUserMedia({
      audio: device ? { ...plain, deviceId: { exact: device } } : plain,
    });
  } catch (error) {
    throw new MicrophoneError(troubleOf(error instanceof DOMException ? error.name : ""));
  }
}

function release(stream: MediaStream, context: AudioContext): void {
  for (const track of stream.getTracks()) track.stop();
  void context.close();
}

/** Microphones there are; before the person has allowed one, the browser tells no names. */
export async function microphones(): Promise<Device[]> {
  const found = (await navigator.mediaDevices?.enumerateDevices()) ?? [];
  return found
    .filter((device) => device.kind === "audioinput" && device.deviceId !== "")
    .map((device, i) => ({ id: device.deviceId, label: device.label || `Microphone ${i + 1}` }));
}
