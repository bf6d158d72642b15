import type { StudioApi } from "./api";
import type { ConnectionState } from "./connection";
import type { Document, JobProgress, TakeReady } from "./messages";

/** `window.kinesphere` of the studio: what tests and curious people may rely on. Seconds and metres. */
export interface StudioHook {
  /** Resolves when the server has said welcome and the character stands on the stage. */
  readonly ready: Promise<void>;
  readonly state: ConnectionState;
  readonly document: Document;
  readonly revision: number;
  readonly takes: { readonly current: TakeReady | null; readonly plain: TakeReady | null };
  readonly time: number;
  readonly playing: boolean;
  readonly jobs: readonly JobProgress[];
  /** Texts of all problems shown so far. */
  readonly problems: readonly string[];
  readonly live: {
    readonly received: number;
    readonly frames: number;
    /** From the sound's stamp to the pose that has it, of the last 600 packets. */
    readonly latencyMs: readonly number[];
    /** Our own code for a pose, of the last 600. */
    readonly poseMs: readonly number[];
  };
  /** Our own code for a picture without the renderer, of the last 600. */
  readonly frameMs: readonly number[];
  readonly api: StudioApi;
  /** Show a time; the figures have its pose when this returns. */
  seek(time: number): void;
  play(): void;
  pause(): void;
  /** World position of a humanoid bone (or node) as shown. */
  jointPosition(bone: string, which?: "take" | "plain"): [number, number, number];
  shapeWeight(shape: string): number;
}
