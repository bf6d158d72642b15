import { beforeEach, describe, expect, it } from "vitest";

import { Clock, type Master, type Reading } from "../src/clock";

let now = 0;
beforeEach(() => {
  now = 100;
});
const clockOf = (duration: number): Clock => new Clock(duration, () => now);

/** Sound that says what it is told to, and remembers what it was asked. */
class FakeSound implements Master {
  reading: Reading = "waiting";
  asked: [number, number][] = [];
  stopped = 0;

  play(at: number, rate: number): void {
    this.asked.push([at, rate]);
  }

  pause(): void {
    this.stopped += 1;
  }

  read(): Reading {
    return this.reading;
  }
}

describe("a clock of its own", () => {
  it("stands still until played, then runs at its rate", () => {
    const clock = clockOf(10);
    now += 1;
    expect(clock.tick()).toBe(0);
    clock.play();
    now += 1;
    expect(clock.tick()).toBeCloseTo(1);
    clock.rate = 0.1;
    now += 1;
    expect(clock.tick()).toBeCloseTo(1.1);
    clock.pause();
    now += 5;
    expect(clock.tick()).toBeCloseTo(1.1);
  });

  it("is the same in one step and in many", () => {
    const [one, many] = [clockOf(4), clockOf(4)];
    one.play();
    many.play();
    for (let i = 0; i < 90; i += 1) {
      now += 0.07;
      many.tick();
    }
    expect(one.tick()).toBeCloseTo(many.time, 9);
    expect(one.time).toBeCloseTo((90 * 0.07) % 4, 9);
  });

  it("stops at the end without the loop, and plays again from the start", () => {
    const clock = clockOf(2);
    clock.loop = false;
    clock.play();
    now += 3;
    expect(clock.tick()).toBe(2);
    expect(clock.playing).toBe(false);
    clock.play();
    expect(clock.time).toBe(0);
  });

  it("keeps within its duration when sought", () => {
    const clock = clockOf(2);
    clock.seek(-1);
    expect(clock.time).toBe(0);
    clock.seek(Infinity);
    expect(clock.time).toBe(2);
  });
});

describe("with sound", () => {
  it("waits for it, follows it, and goes on without it", () => {
    const clock = clockOf(10);
    const sound = new FakeSound();
    clock.master = sound;
    clock.play();
    now += 0.3;
    expect(clock.tick()).toBe(0);
    sound.reading = 0.2;
    now += 0.016;
    expect(clock.tick()).toBe(0.2);
    sound.reading = "silent";
    now += 1;
    expect(clock.tick()).toBeCloseTo(1.2);
  });

  it("never shows a time further than 40 ms from the sound, and evens out its steps", () => {
    const clock = clockOf(100);
    const sound = new FakeSound();
    clock.master = sound;
    clock.play();
    let before = 0;
    for (let i = 1; i < 300; i += 1) {
      now += 1 / 60;
      sound.reading = Math.floor((i / 60) * 50) / 50;
      const time = clock.tick();
      expect(Math.abs(time - sound.reading)).toBeLessThanOrEqual(0.04);
      expect(time).toBeGreaterThan(before);
      before = time;
    }
  });

  it("is told about seeking, speed, the loop and the end", () => {
    const clock = clockOf(2);
    const sound = new FakeSound();
    clock.master = sound;
    clock.play();
    clock.seek(1);
    clock.rate = 0.5;
    expect(sound.asked).toEqual([[0, 1], [1, 1], [1, 0.5]]);
    sound.reading = "silent";
    now += 2.2;
    clock.tick();
    expect(sound.asked.at(-1)?.[0]).toBeCloseTo(0.1);
    clock.pause();
    expect(sound.stopped).toBe(1);
  });
});
