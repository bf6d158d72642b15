import { frameBytes } from "../../src/frame-track";
import type { TakeReady } from "../../src/studio/messages";
import { CLIP, LIVE } from "../../src/studio/messages";
import { type ClipPacket, type LiveFrames, readPacket } from "../../src/studio/packets";

export interface FrameValues {
  readonly root: readonly [number, number, number];
  /** wxyz of each joint. */
  readonly turns: readonly (readonly [number, number, number, number])[];
  readonly face: readonly number[];
}

function writeFrames(data: DataView, start: number, frames: readonly FrameValues[]): void {
  const joints = frames[0]?.turns.length ?? 0;
  const size = frameBytes(joints, frames[0]?.face.length ?? 0);
  frames.forEach(({ root, turns, face }, i) => {
    const at = start + i * size;
    root.forEach((value, k) => data.setFloat32(at + 4 * k, value, true));
    turns.flat().forEach((value, k) => data.setInt16(at + 12 + 2 * k, Math.round(value * 32767), true));
    face.forEach((value, k) => data.setUint8(at + 12 + 8 * joints + k, Math.round(value * 255)));
  });
}

function bufferFor(head: number, frames: readonly FrameValues[]): ArrayBuffer {
  const joints = frames[0]?.turns.length ?? 0;
  return new ArrayBuffer(head + frames.length * frameBytes(joints, frames[0]?.face.length ?? 0));
}

export function clipBytes(take: number, figure: number, fps: number, frames: readonly FrameValues[]): ArrayBuffer {
  const buffer = bufferFor(28, frames);
  const data = new DataView(buffer);
  const counts = [CLIP, take, figure, frames.length, frames[0]?.turns.length ?? 0, frames[0]?.face.length ?? 0];
  counts.forEach((value, k) => data.setUint32(4 * k, value, true));
  data.setFloat32(24, fps, true);
  writeFrames(data, 28, frames);
  return buffer;
}

export function clip(take: number, frames: readonly FrameValues[] = [still(0)], fps = 60, figure = 1): ClipPacket {
  return readPacket(clipBytes(take, figure, fps, frames)) as ClipPacket;
}

export function live(first: number, frames: readonly FrameValues[], stampMs: number, fps = 60): LiveFrames {
  const buffer = bufferFor(36, frames);
  const data = new DataView(buffer);
  const counts = [LIVE, first, frames.length, frames[0]?.turns.length ?? 0, frames[0]?.face.length ?? 0];
  counts.forEach((value, k) => data.setUint32(4 * k, value, true));
  data.setFloat32(20, fps, true);
  data.setFloat32(24, -20, true);
  data.setFloat64(28, stampMs, true);
  writeFrames(data, 36, frames);
  return readPacket(buffer) as LiveFrames;
}

/** One joint, one shape, at a place. */
export function still(x: number): FrameValues {
  return { root: [x, 1, 0], turns: [[1, 0, 0, 0]], face: [0] };
}

export function ready(changes: Partial<TakeReady>): TakeReady {
  return {
    type: "take-ready",
    take: 1,
    revision: 1,
    figure: 1,
    fps: 60,
    frames: 1,
    plain: false,
    whole: true,
    sound: "",
    rows: [],
    notes: [],
    made_s: 0.1,
    ...changes,
  };
}
