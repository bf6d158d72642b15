import type { Body, BodySize } from "./live-frames";

/** A pose to show: reused from frame to frame. */
export interface Pose {
  readonly root: Float32Array;
  /** Unit quaternions wxyz. */
  readonly turns: Float32Array;
  /** Weights from 0 to 1. */
  readonly face: Float32Array;
}

export function emptyPose(size: BodySize): Pose {
  return {
    root: new Float32Array(3),
    turns: new Float32Array(4 * size.joints),
    face: new Float32Array(size.shapes),
  };
}

/** The pose at a ratio of the way between two bodies; rotations go the short way. */
export function mix(a: Body, b: Body, ratio: number, into: Pose): Pose {
  const keep = 1 - ratio;
  for (let i = 0; i < 3; i += 1) into.root[i] = keep * (a.root[i] ?? 0) + ratio * (b.root[i] ?? 0);
  for (let i = 0; i < into.face.length; i += 1) {
    into.face[i] = (keep * (a.face[i] ?? 0) + ratio * (b.face[i] ?? 0)) / 255;
  }
  for (let i = 0; i < into.turns.length; i += 4) mixTurn(a.turns, b.turns, i, ratio, into.turns);
  return into;
}

/** Neighbouring frames are so close that the straight way is as good as the arc. */
function mixTurn(a: Int16Array, b: Int16Array, at: number, ratio: number, into: Float32Array): void {
  let dot = 0;
  for (let k = at; k < at + 4; k += 1) dot += (a[k] ?? 0) * (b[k] ?? 0);
  const [ours, theirs] = [1 - ratio, dot < 0 ? -ratio : ratio];
  let square = 0;
  for (let k = at; k < at + 4; k += 1) {
    const value = ours * (a[k] ?? 0) + theirs * (b[k] ?? 0);
    into[k] = value;
    square += value * value;
  }
  if (square === 0) {
    into[at] = 1;
    return;
  }
  const scale = 1 / Math.sqrt(square);
  for (let k = at; k < at + 4; k += 1) into[k] = (into[k] ?? 0) * scale;
}
