import { describe, expect, it } from "vitest";

import { lookOf, sideOf } from "../src/gestures";
import type { SceneData } from "../src/page-data";
import { fitted } from "../src/timeline-drawing";
import { bounds, described, following, lanes, moved, rowsOf, ticks, timeAt, xOf, zoomed } from "../src/timeline-layout";

const scene = (title: string): SceneData => ({
  title,
  glb: "data-0",
  audio: null,
  fps: 30,
  frames: 121,
  vrm: false,
  bones: {},
  tiers: [
    { name: "words", intervals: [[0, 1, "well"], [1, 2, "yes"]] },
    { name: "gestures", intervals: [[0, 2, "a"], [1, 3, "b"], [2, 4, "c"]] },
  ],
  curves: [{ name: "pitch", samples: [[0, 100], [1, null], [2, 200]] }],
});

describe("span", () => {
  it("maps time to pixels and back", () => {
    const span = { start: 1.5, end: 4 };
    for (const time of [1.5, 2, 3.3, 4]) expect(timeAt(xOf(time, span, 700), span, 700)).toBeCloseTo(time);
  });

  it("zooms about a moment and never leaves the clip", () => {
    const span = zoomed({ start: 0, end: 10 }, 0.5, 4, 10);
    expect(xOf(4, span, 1)).toBeCloseTo(0.4);
    expect(zoomed(span, 100, 4, 10)).toEqual({ start: 0, end: 10 });
    expect(zoomed({ start: 0, end: 10 }, 1e-9, 10, 10).end).toBe(10);
    expect(moved({ start: 2, end: 4 }, 100, 10)).toEqual({ start: 8, end: 10 });
  });

  it("turns the page when the time runs out of it", () => {
    const span = { start: 0, end: 2 };
    expect(following(span, 1, 10)).toBe(span);
    const next = following(span, 2.1, 10);
    expect(next.start).toBeLessThanOrEqual(2.1);
    expect(next.end).toBeGreaterThan(2.1);
  });

  it("has round ticks that are far enough apart", () => {
    for (const [end, width] of [[4, 1000], [4, 200], [600, 800], [0.3, 500]] as const) {
      const found = ticks({ start: 0, end }, width);
      expect(found.length).toBeGreaterThan(1);
      expect(((found[1] ?? 0) * width) / end).toBeGreaterThanOrEqual(72);
    }
  });
});

describe("rows", () => {
  it("puts what overlaps into lanes of its own", () => {
    const { lane, count } = lanes([[0, 2, "a"], [1, 3, "b"], [2, 4, "c"], [2.5, 2.5, "d"]]);
    expect(lane).toEqual([0, 1, 0, 2]);
    expect(count).toBe(3);
  });

  it("do not touch, and only several scenes have titles", () => {
    expect(rowsOf([scene("A")], [null]).rows.map((row) => row.kind)).toEqual(["tier", "tier", "curve"]);
    const wave = { peaks: new Float32Array(4), duration: 4 };
    const { rows, height } = rowsOf([scene("A"), scene("B")], [wave, null]);
    expect(rows.filter((row) => row.kind === "title")).toHaveLength(2);
    rows.forEach((row, i) => {
      const next = rows[i + 1]?.y ?? height;
      expect(row.y + row.height).toBeLessThan(next);
    });
    expect(rowsOf([{ ...scene("A"), tiers: [], curves: [] }], [null]).height).toBe(0);
  });

  it("say what is under the pointer", () => {
    const { rows } = rowsOf([scene("A")], [null]);
    expect(described(rows, 1.5, rows[0]?.y ?? -1)).toBe("words: yes (1.00 to 2.00 s)");
    expect(described(rows, 1.5, (rows[1]?.y ?? 0) + 21)).toContain("gestures: b");
    expect(described(rows, 0.1, rows[2]?.y ?? -1)).toBe("pitch: 100.0");
    expect(described(rows, 1.5, -5)).toBe("");
  });

  it("leave gaps out of the bounds of a curve", () => {
    expect(bounds({ name: "x", samples: [[0, 3], [1, null]] })).toEqual({ low: 2.5, high: 3.5 });
    expect(bounds({ name: "x", samples: [[0, null]] })).toEqual({ low: 0, high: 1 });
  });
});

describe("labels", () => {
  it("are cut where they do not fit", () => {
    const ruler = { measureText: (text: string) => ({ width: 10 * text.length }) as TextMetrics };
    expect(fitted(ruler, "stroke", 60)).toBe("stroke");
    expect(fitted(ruler, "stroke", 45)).toBe("str…");
    expect(fitted(ruler, "stroke", 15)).toBe("");
  });

  it("of phases have looks, and rows have hands", () => {
    expect(lookOf("phases right", "stroke")).toBe("stroke");
    expect(lookOf("phases", "post-stroke hold")).toBe("hold");
    expect(lookOf("phases", "preparation")).toBe("way");
    expect(lookOf("words", "stroke")).toBe("plain");
    expect([sideOf("phases left"), sideOf("RH"), sideOf("words"), sideOf("gesture.R")]).toEqual([
      "left", "right", null, "right",
    ]);
  });
});
