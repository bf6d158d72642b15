import type { TakeReady } from "./messages";
import type { ClipPacket } from "./packets";
import { type FrameTrack, trackOf } from "../frame-track";

/** A take with its frames. */
export interface Shown {
  readonly ready: TakeReady;
  readonly track: FrameTrack;
}

const WAITING_CLIPS = 6;

/**
 * The frames that are worth keeping: of the newest take, of the newest whole one, and of the plain
 * one to compare with. Everything else goes as soon as something newer comes.
 */
export class Takes {
  #clips = new Map<number, ClipPacket>();
  #current: Shown | null = null;
  #whole: Shown | null = null;
  #plain: Shown | null = null;
  #base: Shown | null = null;

  /** The newest take, perhaps only its first part. */
  get current(): Shown | null {
    return this.#current;
  }

  /** The newest take that is whole. */
  get whole(): Shown | null {
    return this.#whole;
  }

  /** The newest take that the server made plain; null when the current one is plain itself. */
  get plain(): Shown | null {
    return this.#plain;
  }

  /** What to show beside the current take: the plain one, or what was there before directing. */
  get compared(): Shown | null {
    return this.#plain ?? this.#base ?? this.#current;
  }

  get waiting(): number {
    return this.#clips.size;
  }

  clip(packet: ClipPacket): void {
    this.#clips.set(packet.take, packet);
    for (const take of this.#clips.keys()) {
      if (this.#clips.size <= WAITING_CLIPS) break;
      this.#clips.delete(take);
    }
  }

  /** A take is ready; `neutral` if directing leaves it as it is. False if it is old or has no frames. */
  ready(ready: TakeReady, neutral: boolean): boolean {
    const packet = this.#clips.get(ready.take);
    this.#clips.delete(ready.take);
    if (!packet) return false;
    const shown = { ready, track: trackOf(packet) };
    if (ready.plain) return this.#takePlain(shown);
    if (this.#current && !newer(ready, this.#current.ready)) return false;
    this.#current = shown;
    if (ready.whole) this.#whole = shown;
    if (neutral) {
      this.#plain = null;
      this.#base = shown;
    }
    return true;
  }

  /** Forget takes of other figures: their frames do not fit. */
  keepFigure(figure: number): void {
    const fits = (shown: Shown | null): Shown | null => (shown?.ready.figure === figure ? shown : null);
    this.#current = fits(this.#current);
    this.#whole = fits(this.#whole);
    this.#plain = fits(this.#plain);
    this.#base = fits(this.#base);
  }

  clear(): void {
    this.#clips.clear();
    this.#current = this.#whole = this.#plain = this.#base = null;
  }

  #takePlain(shown: Shown): boolean {
    if (this.#plain && !newer(shown.ready, this.#plain.ready)) return false;
    this.#plain = shown;
    this.#base = null;
    return true;
  }
}

/** Whether a take replaces another: a later document, or more of the same one. */
export function newer(take: TakeReady, than: TakeReady): boolean {
  if (take.revision !== than.revision) return take.revision > than.revision;
  return take.take > than.take && (take.whole || !than.whole);
}
