import { describe, expect, it } from "vitest";

import { durationOf, emptyPose, frameBytes, homeTrack, mixFrames, poseAt, rootSpan, trackOf } from "../src/frame-track";
import { readPacket } from "../src/studio/packets";
import { clip, clipBytes, type FrameValues, live, still } from "./studio/packets-for-tests";

const half = Math.SQRT1_2;
const FRAMES: FrameValues[] = [
  { root: [0, 1, 0], turns: [[1, 0, 0, 0], [half, half, 0, 0]], face: [0, 1, 0.2] },
  { root: [1, 1, -2], turns: [[half, 0, half, 0], [-half, -half, 0, 0]], face: [1, 1, 0.4] },
  { root: [3, 1, -2], turns: [[0, 0, 1, 0], [half, half, 0, 0]], face: [1, 0, 0.6] },
];

const close = (found: ArrayLike<number>, wanted: readonly number[], digits = 3): void => {
  expect(found.length).toBe(wanted.length);
  wanted.forEach((value, i) => expect(found[i]).toBeCloseTo(value, digits));
};

describe("frames of a packet", () => {
  const track = trackOf(clip(1, FRAMES, 10));

  it("are read exactly at their times, also a hair beside them", () => {
    const pose = emptyPose(2, 3);
    FRAMES.forEach((frame, i) => {
      poseAt(track, i / 10 + 1e-7, pose);
      close(pose.root, frame.root, 6);
      close(pose.turns, frame.turns.flat(), 3);
      close(pose.face, frame.face, 2);
    });
  });

  it("are mixed in between, turns the short way and of length one", () => {
    const pose = emptyPose(2, 3);
    poseAt(track, 0.05, pose);
    close(pose.root, [0.5, 1, -1]);
    close(pose.face, [0.5, 1, 0.3], 2);
    // A quarter turn about y, halfway: an eighth.
    close(pose.turns.subarray(0, 4), [Math.cos(Math.PI / 8), 0, Math.sin(Math.PI / 8), 0]);
    // The same turn written with the other sign: nothing moves.
    close(pose.turns.subarray(4, 8), [half, half, 0, 0]);
    for (let j = 0; j < 8; j += 4) expect(Math.hypot(...pose.turns.subarray(j, j + 4))).toBeCloseTo(1, 6);
  });

  it("without any turn are at rest", () => {
    const none = trackOf(clip(1, [{ root: [0, 0, 0], turns: [[0, 0, 0, 0]], face: [0] }]));
    const pose = emptyPose(1, 1);
    mixFrames(none, 0, none, 0, 0.5, pose);
    expect([...pose.turns]).toEqual([1, 0, 0, 0]);
  });

  it("stay at the first and last outside", () => {
    const [a, b] = [emptyPose(2, 3), emptyPose(2, 3)];
    poseAt(track, -1, a);
    poseAt(track, 0, b);
    expect(a).toEqual(b);
    poseAt(track, 99, a);
    close(a.root, [3, 1, -2]);
    expect(durationOf(track)).toBeCloseTo(0.2);
  });

  it("can be mixed across packets", () => {
    const pose = emptyPose(1, 1);
    mixFrames(trackOf(clip(1, [still(0), still(2)])), 1, trackOf(live(7, [still(4)], 0)), 0, 0.25, pose);
    close(pose.root, [2.5, 1, 0]);
  });

  it("say where the root goes", () => {
    expect(rootSpan(track)).toEqual({ low: [0, -2], high: [3, 0] });
  });

  it("at rest are one frame of the right size", () => {
    const bytes = new Uint8Array(clipBytes(1, 1, 60, [FRAMES[0] as FrameValues]).slice(28));
    expect(bytes.length).toBe(frameBytes(2, 3));
    const pose = emptyPose(2, 3);
    poseAt(homeTrack(bytes, 2, 3), 0, pose);
    close(pose.root, [0, 1, 0]);
    expect(() => homeTrack(bytes, 3, 3)).toThrow("a frame at rest has");
  });
});

describe("packets", () => {
  it("that are cut, too long or unknown are refused", () => {
    const whole = clipBytes(1, 1, 60, FRAMES);
    expect(() => readPacket(whole.slice(0, -4))).toThrow("expected");
    expect(() => readPacket(new ArrayBuffer(4))).toThrow("unknown kind");
    new DataView(whole).setUint32(0, 9, true);
    expect(() => readPacket(whole)).toThrow("unknown kind");
  });

  it("keep their numbers", () => {
    expect(clip(12, FRAMES, 30, 4)).toMatchObject({ kind: "clip", take: 12, figure: 4, count: 3, joints: 2, shapes: 3, fps: 30 });
    expect(live(60, [still(1)], 1234.5)).toMatchObject({ kind: "live", first: 60, stampMs: 1234.5, levelDb: -20 });
  });
});
