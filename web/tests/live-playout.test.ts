import { describe, expect, it } from "vitest";

import { Playout } from "../src/live-playout";
import { Rate } from "../src/live-rate";

interface Seen {
  readonly now: number;
  readonly time: number;
  readonly newest: number;
  readonly delay: number;
}

/**
 * Play a stream: frame k of time k / 60 comes at `arrival(k)`, pictures are drawn at 60 a second.
 * Frames must come in order.
 */
function play(arrival: (k: number) => number, seconds: number): Seen[] {
  const playout = new Playout();
  const seen: Seen[] = [];
  let k = 0;
  for (let now = 0.005; now < seconds; now += 1 / 60) {
    for (; arrival(k) <= now; k += 1) playout.note(k / 60, arrival(k));
    if (k === 0) continue;
    const newest = (k - 1) / 60;
    const time = playout.tick(now, newest);
    seen.push({ now, time, newest, delay: playout.delay });
  }
  return seen;
}

/** Steps of the time shown from picture to picture, as a share of real time. */
function paces(seen: readonly Seen[]): number[] {
  return seen.slice(1).map(({ time }, i) => (time - (seen[i]?.time ?? NaN)) * 60);
}

/** The same noise again. */
function noise(seed: number): (k: number) => number {
  return (k) => {
    const x = Math.sin(12.9898 * (k + seed)) * 43758.5453;
    return x - Math.floor(x);
  };
}

const settled = (seen: readonly Seen[], after: number) => seen.filter(({ now }) => now > after);

describe("a stream on time", () => {
  it("is shown at once and at its own pace", () => {
    const seen = settled(play((k) => 10 + k / 60, 20), 11);
    for (const { delay } of seen) expect(delay).toBeLessThan(0.025);
    for (const pace of paces(seen)) expect(Math.abs(pace - 1)).toBeLessThan(0.02);
  });

  it("that comes in pieces of sound runs smoothly, as late as a piece is long", () => {
    for (const piece of [0.05, 0.1, 0.2]) {
      const frames = Math.round(60 * piece);
      const seen = settled(play((k) => (Math.floor(k / frames) + 1) * piece, 12), 2);
      for (const pace of paces(seen)) expect(Math.abs(pace - 1)).toBeLessThan(0.02);
      for (const { delay } of seen) expect(delay).toBeLessThan(piece + 0.025);
    }
  });

  it("with unsteady steps is waited for", () => {
    const random = noise(1);
    let latest = 0;
    const late = Array.from({ length: 900 }, (_, k) => {
      latest = Math.max(latest, k / 60 + 0.03 * random(k));
      return latest;
    });
    const seen = settled(play((k) => late[k] ?? Infinity, 12), 2);
    for (const pace of paces(seen)) expect(Math.abs(pace - 1)).toBeLessThanOrEqual(0.101);
    for (const { delay } of seen) expect(delay).toBeLessThan(0.06);
  });

  it("of a clock that goes wrong by a thousandth does not run away", () => {
    for (const drift of [0.999, 1.001]) {
      const seen = settled(play((k) => (k / 60) * drift, 60), 5);
      for (const { delay, time, newest } of seen) {
        expect(delay).toBeLessThan(0.03);
        expect(time).toBeLessThanOrEqual(newest);
      }
    }
  });
});

describe("a stream that stops", () => {
  it("is held at its last frame and soon on time again", () => {
    for (const gap of [0.4, 1, 5]) {
      const seen = play((k) => (k < 180 ? k / 60 : k / 60 + gap), 12 + gap);
      const held = seen.filter(({ now }) => now > 3.1 && now < 3 + gap);
      for (const { time } of held) expect(time).toBeCloseTo(179 / 60);
      const after = settled(seen, 3 + gap + 3.5);
      for (const { delay } of after) expect(delay).toBeLessThan(0.03);
      for (const pace of paces(after)) expect(Math.abs(pace - 1)).toBeLessThanOrEqual(0.101);
    }
  });

  it("never shows a time that goes back while frames are skipped", () => {
    const seen = play((k) => (k < 120 ? k / 60 : Math.max(k / 60, 5)), 10);
    for (const pace of paces(seen.filter(({ now }) => now < 5))) expect(pace).toBeGreaterThanOrEqual(0);
    const after = settled(seen, 9);
    for (const { delay } of after) expect(delay).toBeLessThan(0.03);
  });
});

describe("a rate", () => {
  it("counts the last second", () => {
    const rate = new Rate();
    expect(rate.at(0)).toBe(0);
    for (let k = 0; k <= 300; k += 1) rate.note(k / 60);
    expect(rate.at(5)).toBeCloseTo(61, 0);
    expect(rate.at(5.5)).toBeCloseTo(31, 0);
    expect(rate.at(7)).toBe(0);
  });

  it("does not take a heap at the start for a flood", () => {
    const rate = new Rate();
    for (let k = 0; k < 30; k += 1) rate.note(1);
    expect(rate.at(1.01)).toBe(0);
    expect(rate.at(2)).toBeCloseTo(30);
  });
});
