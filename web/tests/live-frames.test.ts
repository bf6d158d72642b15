import { describe, expect, it } from "vitest";

import { bytesFromBase64 } from "../src/base64";
import { FrameBuffer } from "../src/live-buffer";
import { type Body, bodyBytes, frameOf, type Message, Splitter } from "../src/live-frames";
import { emptyPose, mix } from "../src/live-pose";
import golden from "./live-golden.json";

const SIZE = { joints: 55, shapes: golden.shapes.length };
const STREAM = bytesFromBase64(golden.stream);

function read(pieceBytes: number): Message[] {
  const splitter = new Splitter();
  const found: Message[] = [];
  for (let at = 0; at < STREAM.length; at += pieceBytes) {
    found.push(...splitter.push(STREAM.subarray(at, at + pieceBytes)));
  }
  return found;
}

describe("the stream that Python writes", () => {
  it("is a row of messages", () => {
    const found = read(STREAM.length);
    expect(found.map(({ kind }) => kind)).toEqual(["hello", "note", "frame", "frame", "end"]);
    const text = new TextDecoder();
    expect(found.slice(0, 2).map(({ content }) => text.decode(content))).toEqual(["a page", "±20 dB"]);
  });

  it("is the same in pieces of any size", () => {
    for (const size of [1, 3, 7, 8, 100, 959, 4096]) expect(read(size)).toEqual(read(STREAM.length));
  });

  it("has the poses that went in", () => {
    const frames = read(333).filter(({ kind }) => kind === "frame").map(({ content }) => frameOf(content, SIZE));
    expect(frames.map(({ number }) => number)).toEqual(golden.numbers);
    expect(frames.map(({ time }) => time)).toEqual(golden.times);
    const aa = golden.shapes.indexOf("aa");
    frames.forEach(({ bodies }, i) => {
      expect(bodies).toHaveLength(2);
      bodies.forEach((body, character) => {
        near(body.root, golden.roots[i]?.[character], 1e-6);
        near([...body.turns].slice(0, 8).map((x) => x / 32767), golden.firstTurns[i]?.[character], 2e-5);
        near([...body.turns].slice(-4).map((x) => x / 32767), golden.lastTurns[i]?.[character], 2e-5);
        expect((body.face[aa] ?? NaN) / 255).toBeCloseTo(golden.aa[i]?.[character] ?? NaN, 2);
        expect(body.face[golden.shapes.indexOf("blink")]).toBe(255);
      });
    });
  });

  it("is refused where it is something else", () => {
    const page = new TextEncoder().encode("<!doctype html><p>no stream");
    expect(() => new Splitter().push(page)).toThrow("not a stream of frames");
    const frame = read(4096).find(({ kind }) => kind === "frame")?.content ?? new Uint8Array(16);
    expect(() => frameOf(frame.slice(0, -4), SIZE)).toThrow("a frame of 2 characters");
  });
});

describe("between two frames", () => {
  const body = (turn: readonly number[], root: number, weight: number): Body => ({
    root: Float32Array.of(root, 0, 0),
    turns: Int16Array.from(turn, (x) => Math.round(32767 * x)),
    face: Uint8Array.of(weight),
  });
  const size = { joints: 1, shapes: 1 };
  const half = Math.SQRT1_2;

  it("the pose is on the way, and rotations stay rotations", () => {
    const [a, b] = [body([1, 0, 0, 0], 0, 0), body([half, half, 0, 0], 1, 255)];
    const pose = mix(a, b, 0.5, emptyPose(size));
    near(pose.turns, [Math.cos(Math.PI / 8), Math.sin(Math.PI / 8), 0, 0], 1e-4);
    near(pose.root, [0.5, 0, 0], 1e-6);
    near(pose.face, [0.5], 1e-6);
    for (const ratio of [0, 0.1, 0.9, 1]) {
      expect(Math.hypot(...mix(a, b, ratio, emptyPose(size)).turns)).toBeCloseTo(1, 5);
    }
  });

  it("a quaternion and its negative are the same rotation", () => {
    const [a, b, c] = [body([1, 0, 0, 0], 0, 0), body([half, half, 0, 0], 0, 0), body([-half, -half, 0, 0], 0, 0)];
    near(mix(a, c, 0.3, emptyPose(size)).turns, [...mix(a, b, 0.3, emptyPose(size)).turns], 1e-6);
  });

  it("nothing at all is no turn", () => {
    const none = body([0, 0, 0, 0], 0, 0);
    expect([...mix(none, none, 0.5, emptyPose(size)).turns]).toEqual([1, 0, 0, 0]);
  });

  it("a body has as many bytes as its parts", () => {
    expect(bodyBytes(SIZE)).toBe(12 + 440 + golden.shapes.length);
  });
});

describe("the buffer", () => {
  const frame = (time: number) => ({ time, number: 0, bodies: [] });

  it("finds the frames around a time, and holds the ends", () => {
    const buffer = new FrameBuffer();
    expect(buffer.around(0)).toBeNull();
    for (const time of [1, 1.5, 2, 4]) expect(buffer.add(frame(time))).toBe(false);
    const seen = [0, 1.25, 1.5, 3, 9].map((time) => {
      const { before, after, ratio } = buffer.around(time) ?? { before: frame(NaN), after: frame(NaN), ratio: NaN };
      return [before.time, after.time, ratio];
    });
    expect(seen).toEqual([[1, 1.5, 0], [1, 1.5, 0.5], [1.5, 2, 0], [2, 4, 0.5], [4, 4, 0]]);
    expect(buffer.length).toBe(1);
  });

  it("begins anew when time goes back, and does not grow", () => {
    const buffer = new FrameBuffer();
    for (let k = 0; k < 2000; k += 1) buffer.add(frame(k));
    expect(buffer.length).toBeLessThanOrEqual(512);
    expect(buffer.newest).toBe(1999);
    expect(buffer.add(frame(0))).toBe(true);
    expect(buffer.length).toBe(1);
    expect(buffer.newest).toBe(0);
  });
});

function near(found: ArrayLike<number>, wanted: readonly number[] | undefined, within: number): void {
  expect(found.length).toBe(wanted?.length);
  wanted?.forEach((value, i) => expect(Math.abs((found[i] ?? NaN) - value)).toBeLessThanOrEqual(within));
}
