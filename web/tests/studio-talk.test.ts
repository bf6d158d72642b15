import { describe, expect, it } from "vitest";

import { KeptSound } from "../src/studio/kept-sound";
import { LatencyWindow } from "../src/studio/latency-window";
import { LevelBallistics, decibels, loudnessOf, onScale } from "../src/studio/level-ballistics";
import { SoundChunks } from "../src/studio/sound-chunks";
import { sizeText, soundProblem } from "../src/studio/sound-file";
import { OFF, advice, listens, next, troubleOf } from "../src/studio/talk-state";
import type { TalkEvent, TalkState } from "../src/studio/talk-state";

describe("a level meter", () => {
  it("measures sound", () => {
    const sine = Float32Array.from({ length: 4800 }, (_, i) => 0.5 * Math.sin((2 * Math.PI * i) / 48));
    expect(decibels(loudnessOf(sine).peak)).toBeCloseTo(-6.02, 1);
    expect(decibels(loudnessOf(sine).rms)).toBeCloseTo(-9.03, 1);
    expect(loudnessOf(new Float32Array(0))).toEqual({ rms: 0, peak: 0 });
    expect(decibels(0)).toBe(-Infinity);
    expect([onScale(-Infinity), onScale(-30), onScale(0), onScale(6)]).toEqual([0, 0.5, 1, 1]);
  });

  it("rises at once and falls slowly, the peak later", () => {
    const meter = new LevelBallistics();
    meter.hear({ rms: 0.5, peak: 0.9 }, 10);
    expect(meter.level_db).toBeCloseTo(-6.02, 2);
    meter.advance(11);
    expect(meter.level_db).toBeCloseTo(-30.02, 2);
    expect(meter.peak_db).toBeCloseTo(-0.915, 2);
    meter.advance(12);
    expect(meter.peak_db).toBeCloseTo(-0.915 - 12, 2);
    meter.advance(60);
    expect([meter.level_db, meter.peak_db]).toEqual([-Infinity, -Infinity]);
  });

  it("falls the same in one step as in many", () => {
    const [one, many] = [new LevelBallistics(), new LevelBallistics()];
    for (const meter of [one, many]) meter.hear({ rms: 0.5, peak: 0.9 }, 0);
    one.advance(2.2);
    for (let i = 1; i <= 220; i += 1) many.advance(i / 100);
    expect(many.level_db).toBeCloseTo(one.level_db, 6);
    expect(many.peak_db).toBeCloseTo(one.peak_db, 6);
  });

  it("marks clipping for a while, and long silence", () => {
    const meter = new LevelBallistics();
    expect(meter.silent(100)).toBe(false);
    meter.hear({ rms: 0.7, peak: 1 }, 0);
    expect([meter.clipped(1), meter.clipped(4)]).toEqual([true, false]);
    for (let t = 0; t < 5; t += 0.01) meter.hear({ rms: 0, peak: 0 }, t);
    expect(meter.silent(5)).toBe(true);
    meter.hear({ rms: 0.01, peak: 0.02 }, 5);
    expect(meter.silent(5.1)).toBe(false);
  });
});

describe("latencies", () => {
  it("are told by median and 95th percentile", () => {
    const window = new LatencyWindow(5);
    for (let i = 1; i <= 100; i += 1) window.add(1000, 1000 - i);
    expect(window.reading(1000)).toEqual({ median: 50, p95: 95 });
  });

  it("count for the last seconds only, and only with a stamp", () => {
    const window = new LatencyWindow(2);
    window.add(1000, 500);
    window.add(4000, 3980);
    window.add(4000, 0);
    window.add(4000, NaN);
    window.add(4000, 5000);
    expect(window.count).toBe(1);
    expect(window.reading(4000)).toEqual({ median: 20, p95: 20 });
    expect(window.reading(9000)).toBeNull();
  });
});

describe("chunks of sound", () => {
  it("are the mean of the channels, in order and of equal length, however blocks come", () => {
    const sound = Float32Array.from({ length: 1000 }, (_, i) => i);
    const chunks: Float32Array[] = [];
    const collector = new SoundChunks(441, (samples) => chunks.push(samples));
    for (let i = 0; i < 1000; i += 128) {
      const block = sound.subarray(i, i + 128);
      collector.add([block, block.map((x) => x + 2)]);
    }
    collector.add([]);
    expect(chunks.map((chunk) => chunk.length)).toEqual([441, 441]);
    expect(chunks.flatMap((chunk) => [...chunk])).toEqual([...sound.subarray(0, 882)].map((x) => x + 1));
    expect(chunks[0]?.buffer).not.toBe(chunks[1]?.buffer);
  });
});

describe("kept sound", () => {
  it("is a WAV of 16 bit", () => {
    const kept = new KeptSound(48000);
    kept.add(Float32Array.from([0, 0.5, -2]));
    kept.add(Float32Array.from([1]));
    const data = new DataView(kept.wav());
    const word = (at: number): string => String.fromCharCode(...[0, 1, 2, 3].map((i) => data.getUint8(at + i)));
    expect([word(0), word(8), word(36)]).toEqual(["RIFF", "WAVE", "data"]);
    expect([data.getUint32(4, true), data.getUint32(24, true), data.getUint32(40, true)]).toEqual([44, 48000, 8]);
    expect([0, 1, 2, 3].map((i) => data.getInt16(44 + 2 * i, true))).toEqual([0, 16384, -32767, 32767]);
    expect(kept.seconds).toBeCloseTo(4 / 48000, 9);
  });

  it("ends at the longest", () => {
    const kept = new KeptSound(10, 1);
    for (let i = 0; i < 5; i += 1) kept.add(new Float32Array(4));
    expect(kept.seconds).toBe(0.8);
  });
});

describe("a talk", () => {
  const run = (...events: TalkEvent[]): TalkState => events.reduce(next, OFF);
  const opened: TalkEvent = { type: "opened", forTalk: true };
  const on: TalkEvent = { type: "heard", on: true };
  const off: TalkEvent = { type: "heard", on: false };
  const talking: TalkEvent[] = [{ type: "start" }, opened, on];

  it("goes from asking over talking to a take", () => {
    expect(run({ type: "start" }).phase).toBe("asking");
    expect(run({ type: "start" }, opened).phase).toBe("starting");
    expect(run(...talking).phase).toBe("talking");
    expect(run(...talking, { type: "keep" }).phase).toBe("keeping");
    expect(run(...talking, { type: "keep" }, off, { type: "take" })).toEqual(OFF);
    expect(run(...talking, { type: "discard" })).toEqual(OFF);
  });

  it("can look at the level before", () => {
    const checking = run({ type: "check" }, { type: "opened", forTalk: false });
    expect(checking.phase).toBe("checking");
    expect(next(checking, { type: "start" }).phase).toBe("starting");
    expect(next(checking, { type: "check" })).toEqual(OFF);
    expect(next(checking, { type: "disconnected" })).toBe(checking);
  });

  it("is not ended by the end of the one before, but by the server's end", () => {
    expect(run({ type: "start" }, opened, off).phase).toBe("starting");
    expect(run(...talking, off)).toEqual(OFF);
    expect(run(on)).toBe(OFF);
    expect(run(...talking, { type: "keep" }, on).phase).toBe("keeping");
  });

  it("says what is wrong, once", () => {
    expect(run({ type: "start" }, { type: "failed", trouble: "denied" })).toEqual({ phase: "off", trouble: "denied", detail: "" });
    expect(run(...talking, { type: "failed", trouble: "unplugged" }).trouble).toBe("unplugged");
    expect(run(...talking, { type: "disconnected" }).trouble).toBe("lost");
    expect(run(...talking, { type: "keep" }, { type: "refused", text: "too short" })).toEqual({ phase: "off", trouble: "refused", detail: "too short" });
    expect(run({ type: "disconnected" })).toBe(OFF);
    expect(run({ type: "start" }, { type: "failed", trouble: "denied" }, { type: "start" }).trouble).toBeNull();
  });

  it("needs the microphone only while it listens", () => {
    expect((["off", "asking", "checking", "starting", "talking", "keeping"] as const).map(listens)).toEqual([false, false, true, true, true, false]);
  });

  it("knows the browser's refusals", () => {
    expect(["NotAllowedError", "NotFoundError", "OverconstrainedError", "NotReadableError"].map(troubleOf)).toEqual(["denied", "no-device", "no-device", "busy"]);
    expect(advice("refused", "too short")).toBe("too short");
    expect(advice("denied")).toContain("Allow");
  });
});

describe("a recording", () => {
  it("is refused with a reason", () => {
    expect(soundProblem("a.WAV", 10, {})).toBe("");
    expect(soundProblem("a.txt", 10, {})).toContain("a.txt");
    expect(soundProblem("a.wav", 0, {})).toContain("empty");
    expect(soundProblem("a.mp3", 3_000_000, { ".mp3": 2_000_000 })).toContain("2 MB");
    expect(soundProblem("a.mp3", 3_000_000, { mp3: 4_000_000 })).toBe("");
    expect([sizeText(100), sizeText(45_000), sizeText(1_530_000)]).toEqual(["1 kB", "45 kB", "1.5 MB"]);
  });
});
