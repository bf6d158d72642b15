import { describe, expect, it } from "vitest";

import { bytesFromBase64 } from "../src/base64";
import { emptyPose, mixFrames } from "../src/frame-track";
import { FrameBuffer } from "../src/live-buffer";
import { type Frame, frameOf, type Message, Splitter } from "../src/live-frames";
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
    const pose = emptyPose(SIZE.joints, SIZE.shapes);
    frames.forEach(({ bodies }, i) => {
      expect(bodies.count).toBe(2);
      for (let character = 0; character < 2; character += 1) {
        mixFrames(bodies, character, bodies, character, 0, pose);
        near(pose.root, golden.roots[i]?.[character], 1e-6);
        near(pose.turns.subarray(0, 8), golden.firstTurns[i]?.[character], 2e-5);
        near(pose.turns.subarray(-4), golden.lastTurns[i]?.[character], 2e-5);
        expect(pose.face[aa]).toBeCloseTo(golden.aa[i]?.[character] ?? NaN, 2);
        expect(pose.face[golden.shapes.indexOf("blink")]).toBe(1);
      }
    });
  });

  it("is refused where it is something else", () => {
    const page = new TextEncoder().encode("<!doctype html><p>no stream");
    expect(() => new Splitter().push(page)).toThrow("not a stream of frames");
    const frame = read(4096).find(({ kind }) => kind === "frame")?.content ?? new Uint8Array(16);
    expect(() => frameOf(frame.slice(0, -4), SIZE)).toThrow("a frame of 2 characters");
  });
});

describe("the buffer", () => {
  const first = read(4096).find(({ kind }) => kind === "frame")?.content ?? new Uint8Array(16);
  const frame = (time: number): Frame => ({ ...frameOf(first, SIZE), time });

  it("finds the frames around a time, and holds the ends", () => {
    const buffer = new FrameBuffer();
    buffer.find(0);
    expect(buffer.before).toBeNull();
    for (const time of [1, 1.5, 2, 4]) expect(buffer.add(frame(time))).toBe(false);
    const seen = [0, 1.25, 1.5, 3, 9].map((time) => {
      buffer.find(time);
      return [buffer.before?.time, buffer.after?.time, buffer.ratio];
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
