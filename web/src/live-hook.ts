import type { StreamState } from "./live-stream";

/** `window.kinesphere` of the live page. Seconds and metres. */
export interface LiveHook {
  /** Resolves when the figures are loaded and drawn once; fails with the reason. */
  readonly ready: Promise<void>;
  readonly state: StreamState;
  /** What the status line says of itself. */
  readonly note: string;
  /** The stream's time that the figures show, and that of the newest frame; null before one. */
  readonly time: number | null;
  readonly newest: number | null;
  /** Frames that came since the page was opened, and that were skipped on the way. */
  readonly received: number;
  readonly skipped: number;
  /** Frames that come and pictures that are drawn in a second; how late the picture is. */
  readonly fps: number;
  readonly drawn: number;
  readonly delay: number;
  /** World position of a joint of a character at the time shown. */
  jointPosition(character: number, joint: string): [number, number, number];
  /** Weight of a shape of a character's face at the time shown. */
  shapeWeight(character: number, shape: string): number;
}
