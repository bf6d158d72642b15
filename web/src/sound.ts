import type { Master, Reading } from "./clock";

/** A player that has not begun after this long never will; time then goes on without it. */
const PATIENCE_S = 1.5;

/** A scene's sound, the master of the clock while it plays. */
export class Sound implements Master {
  readonly element: HTMLAudioElement;
  #silent = true;
  #asked = 0;

  constructor(wav: Uint8Array<ArrayBuffer>) {
    this.element = new Audio(URL.createObjectURL(new Blob([wav], { type: "audio/wav" })));
    this.element.preload = "auto";
    this.element.preservesPitch = true;
  }

  get duration(): number {
    return Number.isFinite(this.element.duration) ? this.element.duration : 0;
  }

  /** Resolves when the length is known, or it is clear that it cannot be played. */
  loaded(): Promise<void> {
    if (this.element.readyState >= HTMLMediaElement.HAVE_METADATA) return Promise.resolve();
    return new Promise((resolve) => {
      this.element.addEventListener("loadedmetadata", () => resolve(), { once: true });
      this.element.addEventListener("error", () => resolve(), { once: true });
    });
  }

  play(at: number, rate: number): void {
    this.#silent = at >= this.duration - 0.02;
    if (this.#silent) {
      this.element.pause();
      return;
    }
    this.#asked = performance.now();
    this.element.playbackRate = rate;
    if (Math.abs(this.element.currentTime - at) > 0.02) this.element.currentTime = at;
    // Refused where the browser wants a touch first: time goes on in silence.
    this.element.play().catch(() => {
      if (this.element.paused) this.#silent = true;
    });
  }

  pause(): void {
    this.element.pause();
  }

  /** Give the memory back; it cannot be played any more. */
  dispose(): void {
    this.element.pause();
    URL.revokeObjectURL(this.element.src);
  }

  read(): Reading {
    const { element } = this;
    if (this.#silent || element.ended || element.error) return "silent";
    if (!element.paused && !element.seeking && element.readyState >= 3) return element.currentTime;
    return performance.now() - this.#asked > PATIENCE_S * 1000 ? "silent" : "waiting";
  }
}
