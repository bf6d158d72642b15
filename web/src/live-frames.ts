/** The stream's messages, as `realtime/sinks/page_frames.py` writes them; numbers are little-endian. */

import { frameBytes, type FrameTrack, trackOf } from "./frame-track";
import { KINDS } from "./live-data";

const HEAD_BYTES = 8;
const FRAME_HEAD_BYTES = 16;
const LARGEST_BYTES = 1 << 20;

export interface Message {
  readonly kind: (typeof KINDS)[number];
  readonly content: Uint8Array<ArrayBuffer>;
}

/** How many numbers of each kind a body has. */
export interface BodySize {
  readonly joints: number;
  readonly shapes: number;
}

export interface Frame {
  /** Seconds on the clock of the sound. */
  readonly time: number;
  /** Counts the frames that were sent; what is missing was skipped on the way. */
  readonly number: number;
  /** Every character at this time, one after the other. */
  readonly bodies: FrameTrack;
}

/** Puts together the messages of a stream that comes in pieces of any size. */
export class Splitter {
  #rest: Uint8Array<ArrayBuffer> = new Uint8Array(0);

  /** The messages that are complete with this piece. */
  push(piece: Uint8Array): Message[] {
    const data = joined(this.#rest, piece);
    const view = new DataView(data.buffer);
    const found: Message[] = [];
    let at = 0;
    while (at + HEAD_BYTES <= data.length) {
      const size = view.getUint32(at, true);
      const kind = KINDS[view.getUint32(at + 4, true)];
      if (!kind || size > LARGEST_BYTES) throw new Error("not a stream of frames");
      const end = at + HEAD_BYTES + size;
      if (end > data.length) break;
      found.push({ kind, content: data.slice(at + HEAD_BYTES, end) });
      at = end;
    }
    this.#rest = data.slice(at);
    return found;
  }
}

/** The frame in a message, seen in place. */
export function frameOf(content: Uint8Array<ArrayBuffer>, size: BodySize): Frame {
  const data = new DataView(content.buffer, content.byteOffset, content.length);
  const count = data.getUint32(12, true);
  if (content.length !== FRAME_HEAD_BYTES + count * frameBytes(size.joints, size.shapes)) {
    throw new Error(`a frame of ${count} characters has ${content.length} bytes`);
  }
  return {
    time: data.getFloat64(0, true),
    number: data.getUint32(8, true),
    bodies: trackOf({ ...size, count, fps: 0, data, start: FRAME_HEAD_BYTES }),
  };
}

function joined(a: Uint8Array<ArrayBuffer>, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
