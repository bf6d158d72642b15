/** The stream's messages, as `live_page_frames.py` writes them; numbers are little-endian. */

const HEAD_BYTES = 8;
const FRAME_HEAD_BYTES = 16;
const LARGEST_BYTES = 1 << 20;
const KINDS = ["hello", "frame", "note", "alive", "end"] as const;

export interface Message {
  readonly kind: (typeof KINDS)[number];
  readonly content: Uint8Array<ArrayBuffer>;
}

/** How many numbers of each kind a body has. */
export interface BodySize {
  readonly joints: number;
  readonly shapes: number;
}

/** One character at one time. */
export interface Body {
  /** Place of the root in metres. */
  readonly root: Float32Array;
  /** Local rotations wxyz of all joints; their length is not one. */
  readonly turns: Int16Array;
  /** Weights of the face's shapes, 0 to 255. */
  readonly face: Uint8Array;
}

export interface Frame {
  /** Seconds on the clock of the sound. */
  readonly time: number;
  /** Counts the frames that were sent; what is missing was skipped on the way. */
  readonly number: number;
  readonly bodies: readonly Body[];
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

export function bodyBytes(size: BodySize): number {
  return 12 + 8 * size.joints + size.shapes;
}

/** The frame in a message, seen in place. */
export function frameOf(content: Uint8Array<ArrayBuffer>, size: BodySize): Frame {
  const view = new DataView(content.buffer, content.byteOffset, content.length);
  const characters = view.getUint32(12, true);
  const each = bodyBytes(size);
  if (content.length !== FRAME_HEAD_BYTES + characters * each) {
    throw new Error(`a frame of ${characters} characters has ${content.length} bytes`);
  }
  return {
    time: view.getFloat64(0, true),
    number: view.getUint32(8, true),
    bodies: Array.from({ length: characters }, (_, i) => bodyOf(content, FRAME_HEAD_BYTES + i * each, size)),
  };
}

/** The body that starts at a byte, which is a multiple of four. */
export function bodyOf(content: Uint8Array<ArrayBuffer>, at: number, size: BodySize): Body {
  const { buffer } = content;
  const start = content.byteOffset + at;
  return {
    root: new Float32Array(buffer, start, 3),
    turns: new Int16Array(buffer, start + 12, 4 * size.joints),
    face: new Uint8Array(buffer, start + 12 + 8 * size.joints, size.shapes),
  };
}

function joined(a: Uint8Array<ArrayBuffer>, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}
