/** Frames as they came: `root` 3 float32, `turns` 4 int16 a joint (wxyz, 1/32767), `face` uint8. */
export interface Frames {
  readonly count: number;
  readonly joints: number;
  readonly shapes: number;
  readonly fps: number;
  readonly data: DataView;
  readonly start: number;
}

export function frameBytes(joints: number, shapes: number): number {
  return 12 + 8 * joints + 4 * Math.ceil(shapes / 4);
}

/** Frames seen in place through typed arrays: made once a packet, read without making anything. */
export interface FrameTrack {
  readonly count: number;
  readonly fps: number;
  readonly joints: number;
  readonly shapes: number;
  readonly floats: Float32Array;
  readonly turns: Int16Array;
  readonly face: Uint8Array;
  /** Byte of the first frame, and bytes of one. */
  readonly start: number;
  readonly size: number;
}

/** A pose to show: reused from frame to frame. */
export interface Pose {
  /** Place of the root in metres. */
  readonly root: Float32Array;
  /** Unit quaternions wxyz. */
  readonly turns: Float32Array;
  /** Weights from 0 to 1. */
  readonly face: Float32Array;
}

const LITTLE = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

export function trackOf(frames: Frames): FrameTrack {
  if (!LITTLE) throw new Error("this page needs a machine with little-endian numbers");
  const { buffer, byteOffset } = frames.data;
  return {
    count: frames.count,
    fps: frames.fps,
    joints: frames.joints,
    shapes: frames.shapes,
    floats: new Float32Array(buffer, byteOffset),
    turns: new Int16Array(buffer, byteOffset),
    face: new Uint8Array(buffer, byteOffset),
    start: frames.start,
    size: frameBytes(frames.joints, frames.shapes),
  };
}

/** One frame, as a figure's home is. */
export function homeTrack(bytes: Uint8Array<ArrayBuffer>, joints: number, shapes: number): FrameTrack {
  const size = frameBytes(joints, shapes);
  if (bytes.length !== size) throw new Error(`a frame at rest has ${bytes.length} bytes, expected ${size}`);
  return trackOf({ count: 1, joints, shapes, fps: 60, data: new DataView(bytes.slice().buffer), start: 0 });
}

export function emptyPose(joints: number, shapes: number): Pose {
  return { root: new Float32Array(3), turns: new Float32Array(4 * joints), face: new Float32Array(shapes) };
}

/** Seconds from the first to the last frame. */
export function durationOf(track: FrameTrack): number {
  return Math.max(track.count - 1, 0) / track.fps;
}

/** The pose at a time of a track; before the first and after the last frame that one. */
export function poseAt(track: FrameTrack, time: number, into: Pose): void {
  const last = Math.max(track.count - 1, 0);
  const exact = Math.min(Math.max(time * track.fps, 0), last);
  // Times come from sums of steps: a hair beside a frame is that frame.
  const nearest = Math.round(exact);
  const near = Math.abs(exact - nearest) < 1e-4;
  const first = near ? nearest : Math.floor(exact);
  mixFrames(track, first, track, Math.min(first + 1, last), near ? 0 : exact - first, into);
}

/** The pose at a ratio of the way from a frame of a track to one of another; the short way round. */
export function mixFrames(a: FrameTrack, i: number, b: FrameTrack, j: number, ratio: number, into: Pose): void {
  const ours = a.start + i * a.size;
  const theirs = b.start + j * b.size;
  const keep = 1 - ratio;
  for (let k = 0; k < 3; k += 1) {
    into.root[k] = keep * (a.floats[ours / 4 + k] ?? 0) + ratio * (b.floats[theirs / 4 + k] ?? 0);
  }
  const turnA = (ours + 12) / 2;
  const turnB = (theirs + 12) / 2;
  for (let at = 0; at < 4 * a.joints; at += 4) mixTurn(a.turns, turnA + at, b.turns, turnB + at, ratio, into.turns, at);
  const faceA = ours + 12 + 8 * a.joints;
  const faceB = theirs + 12 + 8 * b.joints;
  for (let k = 0; k < a.shapes; k += 1) {
    into.face[k] = (keep * (a.face[faceA + k] ?? 0) + ratio * (b.face[faceB + k] ?? 0)) / 255;
  }
}

/** Neighbouring frames are so close that the straight way is as good as the arc. */
function mixTurn(a: Int16Array, i: number, b: Int16Array, j: number, ratio: number, into: Float32Array, at: number): void {
  let dot = 0;
  for (let k = 0; k < 4; k += 1) dot += (a[i + k] ?? 0) * (b[j + k] ?? 0);
  const ours = 1 - ratio;
  const theirs = dot < 0 ? -ratio : ratio;
  let square = 0;
  for (let k = 0; k < 4; k += 1) {
    const value = ours * (a[i + k] ?? 0) + theirs * (b[j + k] ?? 0);
    into[at + k] = value;
    square += value * value;
  }
  const scale = square > 0 ? 1 / Math.sqrt(square) : 0;
  for (let k = 0; k < 4; k += 1) into[at + k] = (into[at + k] ?? 0) * scale;
  if (square === 0) into[at] = 1;
}

/** What the root covers on the floor: lowest and highest x and z. */
export function rootSpan(track: FrameTrack): { low: [number, number]; high: [number, number] } {
  const low: [number, number] = [Infinity, Infinity];
  const high: [number, number] = [-Infinity, -Infinity];
  for (let i = 0; i < track.count; i += 1) {
    const at = (track.start + i * track.size) / 4;
    const [x, z] = [track.floats[at] ?? 0, track.floats[at + 2] ?? 0];
    low[0] = Math.min(low[0], x);
    low[1] = Math.min(low[1], z);
    high[0] = Math.max(high[0], x);
    high[1] = Math.max(high[1], z);
  }
  return track.count ? { low, high } : { low: [0, 0], high: [0, 0] };
}
