/** `window.kinesphere`: what tests and curious people may rely on. Seconds and metres. */
export interface Hook {
  /** Resolves when everything is loaded and drawn once; fails with the reason. */
  readonly ready: Promise<void>;
  /** The time that the figures show. */
  readonly time: number;
  /** The frame of the first scene that is nearest to it. */
  readonly frame: number;
  readonly duration: number;
  readonly playing: boolean;
  readonly scenes: readonly { title: string; fps: number; frames: number }[];
  /** Where the sound is, or null where none is chosen. */
  readonly soundTime: number | null;
  /** Show a time; the figures have its pose when this returns. */
  seek(time: number): void;
  play(): void;
  pause(): void;
  /** World position of a humanoid bone (or node) of a scene at the time shown. */
  jointPosition(scene: number, bone: string): [number, number, number];
}

declare global {
  interface Window {
    kinesphere: Hook;
  }
}
