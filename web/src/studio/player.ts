import { Clock } from "../clock";
import { stepped } from "../frames";
import { Sound } from "../sound";
import type { Waveform } from "../timeline-layout";
import { waveformOf } from "../waveform";
import { durationOf } from "../frame-track";
import type { Shown } from "./takes";

/** The time of the take that is shown, with its sound. */
export class Player {
  readonly clock = new Clock(0);
  /** Called when there is something new to draw. */
  onChange: () => void = () => {};
  /** The bytes of a take's sound have come. */
  onSound: (wav: Blob) => void = () => {};
  onWaveform: (waveform: Waveform | null) => void = () => {};
  #shown: Shown | null = null;
  #sound: Sound | null = null;
  #url = "";
  #muted = false;
  #loop = true;
  /** Ran out of a take that is still being made: goes on when there is more. */
  #stalled = false;

  get time(): number {
    return this.clock.time;
  }

  get playing(): boolean {
    return this.clock.playing;
  }

  get fps(): number {
    return this.#shown?.track.fps ?? 60;
  }

  get loop(): boolean {
    return this.#loop;
  }

  set loop(on: boolean) {
    this.#loop = on;
    this.#applyLoop();
  }

  set rate(rate: number) {
    this.clock.rate = rate;
  }

  get muted(): boolean {
    return this.#muted;
  }

  set muted(on: boolean) {
    this.#muted = on;
    if (this.#sound) this.#sound.element.muted = on;
  }

  get hasSound(): boolean {
    return this.#url !== "";
  }

  /** Another take, at the same time as far as it has that. */
  show(shown: Shown | null): void {
    this.#shown = shown;
    this.#fit();
    this.#applyLoop();
    void this.#hear(shown?.ready.sound ?? "");
    if (!shown) this.clock.pause();
    if (this.#stalled && shown) this.play();
    this.onChange();
  }

  play(): void {
    if (!this.#shown) return;
    this.#stalled = false;
    this.clock.play();
    this.onChange();
  }

  pause(): void {
    this.#stalled = false;
    this.clock.pause();
    this.onChange();
  }

  readonly playOrPause = (): void => {
    if (this.clock.playing) this.pause();
    else this.play();
  };

  seek(time: number): void {
    this.#stalled = false;
    this.clock.seek(time);
    this.onChange();
  }

  step(frames: number): void {
    this.clock.pause();
    this.seek(stepped(this.clock.time, frames, this.fps, this.clock.duration));
  }

  /** Move on to the present moment. */
  tick(): number {
    const was = this.clock.playing;
    const time = this.clock.tick();
    if (was && !this.clock.playing && this.#shown?.ready.whole === false) this.#stalled = true;
    return time;
  }

  #applyLoop(): void {
    this.clock.loop = this.#loop && this.#shown?.ready.whole !== false;
  }

  #fit(): void {
    const moving = this.#shown ? durationOf(this.#shown.track) : 0;
    this.clock.fit(Math.max(moving, this.#shown ? (this.#sound?.duration ?? 0) : 0));
  }

  async #hear(url: string): Promise<void> {
    if (url === this.#url) return;
    this.#url = url;
    this.#silence();
    // A flat line keeps its place, so that nothing moves when the sound comes.
    this.onWaveform(url ? { peaks: new Float32Array(1), duration: Math.max(this.clock.duration, 1e-3) } : null);
    if (!url) return;
    const wav = await bytesOf(url);
    if (this.#url !== url || !wav) return;
    const sound = new Sound(wav);
    const [waveform] = await Promise.all([waveformOf(wav), sound.loaded()]);
    if (this.#url !== url) {
      sound.dispose();
      return;
    }
    sound.element.muted = this.#muted;
    this.#sound = sound;
    this.onSound(new Blob([wav], { type: "audio/wav" }));
    this.#fit();
    this.clock.master = sound;
    if (waveform) this.onWaveform(waveform);
    this.onChange();
  }

  #silence(): void {
    this.clock.master = null;
    this.#sound?.dispose();
    this.#sound = null;
    this.#fit();
  }
}

async function bytesOf(url: string): Promise<Uint8Array<ArrayBuffer> | null> {
  try {
    const answer = await fetch(url);
    return answer.ok ? new Uint8Array(await answer.arrayBuffer()) : null;
  } catch {
    return null;
  }
}
