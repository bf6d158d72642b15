import { Playout } from "../live-playout";
import { type FrameTrack, trackOf } from "../frame-track";
import type { LiveFrames } from "./packets";
import { Recent } from "./recent";

/** Talk stays close: nothing that is late is waited for long, and time lost is soon made up. */
const PACE = { longest: 0.034, hurry: 1, jump: 0.12 };
const KEPT_PACKETS = 64;

interface Piece {
  readonly track: FrameTrack;
  /** Number of its first frame. */
  readonly first: number;
  readonly stampMs: number;
  counted: boolean;
}

/**
 * Frames of the character that moves to a microphone, shown so long after they come that the next
 * one is nearly always there. After `tick` the fields say between which frames the picture is.
 */
export class LiveView {
  received = 0;
  frames = 0;
  /** From the sound's stamp to the pose that first had it; milliseconds. */
  readonly latencyMs = new Recent(600);
  before: FrameTrack | null = null;
  beforeFrame = 0;
  after: FrameTrack | null = null;
  afterFrame = 0;
  ratio = 0;
  readonly #playout = new Playout(PACE);
  #pieces: Piece[] = [];
  #fps = 60;

  /** The last frame there is, as its number; -1 before one. */
  get newest(): number {
    const last = this.#pieces.at(-1);
    return last ? last.first + last.track.count - 1 : -1;
  }

  reset(): void {
    this.#pieces = [];
    this.#playout.reset();
    this.before = this.after = null;
  }

  /** Frames have come; `nowMs` on the page's clock. */
  add(packet: LiveFrames, nowMs: number): void {
    if (packet.count === 0) return;
    if (packet.first <= this.newest) this.reset();
    this.#fps = packet.fps;
    this.received += 1;
    this.frames += packet.count;
    this.#pieces.push({ track: trackOf(packet), first: packet.first, stampMs: packet.stampMs, counted: false });
    if (this.#pieces.length > KEPT_PACKETS) this.#pieces.shift();
    for (let k = 0; k < packet.count; k += 1) this.#playout.note((packet.first + k) / packet.fps, nowMs / 1000);
  }

  /** Move on to a moment; true if there is something to show. */
  tick(nowMs: number): boolean {
    const newest = this.newest;
    if (newest < 0) return false;
    const exact = this.#playout.tick(nowMs / 1000, newest / this.#fps) * this.#fps;
    const oldest = this.#pieces[0]?.first ?? 0;
    const shown = Math.min(Math.max(exact, oldest), newest);
    this.#find(shown);
    this.#count(shown, nowMs);
    return true;
  }

  #find(shown: number): void {
    const first = Math.floor(shown + 1e-6);
    while (this.#pieces.length > 1 && (this.#pieces[1]?.first ?? Infinity) <= first) {
      const gone = this.#pieces[0];
      // Counted below in any case: it has been shown, or there was no time to.
      if (gone && !gone.counted) break;
      this.#pieces.shift();
    }
    let at = 0;
    while ((this.#pieces[at + 1]?.first ?? Infinity) <= first) at += 1;
    const piece = this.#pieces[at];
    if (!piece) return;
    this.before = this.after = piece.track;
    this.beforeFrame = Math.min(first - piece.first, piece.track.count - 1);
    this.afterFrame = this.beforeFrame + 1;
    this.ratio = Math.min(Math.max(shown - first, 0), 1);
    if (this.afterFrame < piece.track.count) return;
    const next = this.#pieces[at + 1];
    this.after = next?.track ?? piece.track;
    this.afterFrame = next ? 0 : piece.track.count - 1;
  }

  /** A packet's sound is in the picture when its last frame is the nearest one. */
  #count(shown: number, nowMs: number): void {
    for (const piece of this.#pieces) {
      if (piece.counted) continue;
      if (shown < piece.first + piece.track.count - 1.5) break;
      piece.counted = true;
      if (piece.stampMs > 0) this.latencyMs.add(nowMs - piece.stampMs);
    }
  }
}
