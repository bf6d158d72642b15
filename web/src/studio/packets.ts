import { frameBytes, type Frames } from "../frame-track";
import { CLIP, LIVE, SOUND } from "./messages";

export interface ClipPacket extends Frames {
  readonly kind: "clip";
  readonly take: number;
  readonly figure: number;
}

export interface LiveFrames extends Frames {
  readonly kind: "live";
  /** Number of the first frame. */
  readonly first: number;
  readonly levelDb: number;
  /** The page's own clock (performance.now) when it sent the newest sound in these frames. */
  readonly stampMs: number;
}

const CLIP_HEAD = 28;
const LIVE_HEAD = 36;
const SOUND_HEAD = 20;

/** Read a packet of the server; throws if it is none, or not whole. */
export function readPacket(buffer: ArrayBuffer): ClipPacket | LiveFrames {
  const data = new DataView(buffer);
  const at = (i: number): number => data.getUint32(4 * i, true);
  if (buffer.byteLength >= CLIP_HEAD && at(0) === CLIP) {
    const [count, joints, shapes] = [at(3), at(4), at(5)];
    const fps = data.getFloat32(24, true);
    return checked({ kind: "clip", take: at(1), figure: at(2), count, joints, shapes, fps, data, start: CLIP_HEAD });
  }
  if (buffer.byteLength >= LIVE_HEAD && at(0) === LIVE) {
    const [first, count, joints, shapes] = [at(1), at(2), at(3), at(4)];
    const fps = data.getFloat32(20, true);
    const levelDb = data.getFloat32(24, true);
    const stampMs = data.getFloat64(28, true);
    return checked({ kind: "live", first, count, joints, shapes, fps, levelDb, stampMs, data, start: LIVE_HEAD });
  }
  throw new Error(`a packet of ${buffer.byteLength} bytes has an unknown kind`);
}

function checked<Packet extends Frames>(packet: Packet): Packet {
  const size = packet.start + packet.count * frameBytes(packet.joints, packet.shapes);
  if (size !== packet.data.byteLength) throw new Error(`a packet has ${packet.data.byteLength} bytes, expected ${size}`);
  return packet;
}

/** A chunk of sound as the server takes it. */
export function soundPacket(number: number, stampMs: number, samples: Float32Array): ArrayBuffer {
  const buffer = new ArrayBuffer(SOUND_HEAD + 4 * samples.length);
  const data = new DataView(buffer);
  data.setUint32(0, SOUND, true);
  data.setUint32(4, number, true);
  data.setFloat64(12, stampMs, true);
  new Float32Array(buffer, SOUND_HEAD).set(samples);
  return buffer;
}
