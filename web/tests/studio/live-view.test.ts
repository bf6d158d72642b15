import { describe, expect, it } from "vitest";

import { LiveView } from "../../src/studio/live-view";
import { Recent } from "../../src/studio/recent";
import { live, still } from "./packets-for-tests";

/** Frames at 60 a second in packets of two, each `late` ms after its last frame's time. */
function played(late: (packet: number) => number, packets = 120): LiveView {
  const view = new LiveView();
  // What is late holds up what comes after it.
  let before = 0;
  const arrivals = Array.from({ length: packets }, (_, k) => {
    before = Math.max(before, 1000 + ((2 * k + 1) / 60) * 1000 + late(k));
    return { k, at: before };
  });
  for (let now = 1000, next = 0; next < packets; now += 4) {
    for (; next < packets && (arrivals[next]?.at ?? 0) <= now; next += 1) {
      const first = 2 * (arrivals[next]?.k ?? 0);
      const stamp = 1000 + ((first + 1) / 60) * 1000;
      view.add(live(first, [still(first), still(first + 1)], stamp), now);
    }
    view.tick(now);
  }
  return view;
}

describe("live frames", () => {
  it("show nothing before the first", () => {
    expect(new LiveView().tick(5)).toBe(false);
  });

  it("are soon in the picture when they come evenly", () => {
    const latencies = played(() => 20).latencyMs.list();
    expect(latencies.length).toBeGreaterThan(110);
    expect(Math.max(...latencies.slice(10))).toBeLessThan(60);
  });

  it("do not wait long for the one that is late", () => {
    const sorted = played((k) => (k % 30 === 7 ? 120 : 15), 240).latencyMs.list().sort((a, b) => a - b);
    expect(sorted[Math.floor(0.8 * sorted.length)]).toBeLessThan(75);
  });

  it("are mixed across packets", () => {
    const view = played(() => 10);
    expect(view.before).not.toBeNull();
    expect(view.after).not.toBeNull();
    expect(view.ratio).toBeGreaterThanOrEqual(0);
    expect(view.ratio).toBeLessThanOrEqual(1);
    expect(view.received).toBe(120);
    expect(view.frames).toBe(240);
  });

  it("begin anew when their numbers do", () => {
    const view = played(() => 10);
    view.add(live(0, [still(0)], 0), 9000);
    expect(view.newest).toBe(0);
    expect(view.tick(9001)).toBe(true);
    expect(view.beforeFrame).toBe(0);
  });
});

describe("recent numbers", () => {
  it("are the last ones, oldest first", () => {
    const recent = new Recent(3);
    for (const value of [1, 2, 3, 4, 5]) recent.add(value);
    expect(recent.list()).toEqual([3, 4, 5]);
    expect(recent.length).toBe(3);
  });
});
