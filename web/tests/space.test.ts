import { describe, expect, it } from "vitest";

import { directionOf, distanceFor, grid, VIEWS, type ViewName } from "../src/framing";
import { dotsEvery, drawnRange, pathTimes } from "../src/path-samples";

describe("paths", () => {
  it("visit every frame of a short clip and both ends of a long one", () => {
    const times = pathTimes(241, 60);
    expect(times).toHaveLength(241);
    expect(times[7]).toBeCloseTo(7 / 60);
    const long = pathTimes(100000, 120, 500);
    expect(long).toHaveLength(500);
    expect(long[499]).toBeCloseTo(99999 / 120);
    expect([...pathTimes(1, 30)]).toEqual([0]);
  });

  it("are drawn whole, around now, or not at all", () => {
    const times = pathTimes(241, 60);
    expect(drawnRange("whole", 1, times)).toEqual([0, 241]);
    expect(drawnRange("off", 1, times)).toEqual([0, 0]);
    expect(drawnRange("around", 2, times)).toEqual([75, 91]);
    expect(drawnRange("around", 0, times)).toEqual([0, 46]);
    expect(drawnRange("around", 4, times)).toEqual([195, 46]);
  });

  it("have as many dots a second as asked", () => {
    expect(dotsEvery(pathTimes(241, 60), 30)).toBe(2);
    expect(dotsEvery(pathTimes(60, 24), 30)).toBe(1);
  });
});

describe("views", () => {
  it("tile the canvas without gaps", () => {
    for (const count of [1, 2, 3, 4, 5, 8]) {
      for (const [width, height] of [[1280, 500], [390, 420], [333, 777]] as const) {
        const rects = grid(count, width, height);
        expect(rects).toHaveLength(count);
        const columns = rects.filter((rect) => rect.y === 0);
        expect(columns.reduce((sum, rect) => sum + rect.width, 0)).toBe(width);
        for (const rect of rects) {
          expect(rect.x + rect.width).toBeLessThanOrEqual(width);
          expect(rect.y + rect.height).toBeLessThanOrEqual(height);
        }
      }
    }
  });

  it("stand side by side on a wide page and below each other in a narrow one", () => {
    expect(grid(2, 1200, 500).map((rect) => rect.y)).toEqual([0, 0]);
    expect(grid(2, 300, 900).map((rect) => rect.x)).toEqual([0, 0]);
  });

  it("look along unit vectors: the character's left is +X, its front +Z", () => {
    for (const view of Object.keys(VIEWS) as ViewName[]) expect(Math.hypot(...directionOf(view))).toBeCloseTo(1);
    expect(directionOf("side")[0]).toBeGreaterThan(0.99);
    expect(directionOf("front")[2]).toBeGreaterThan(0.99);
    expect(directionOf("top")[1]).toBeGreaterThan(0.99);
  });

  it("hold the whole extent", () => {
    for (const aspect of [0.4, 1, 2]) {
      const distance = distanceFor({ across: 0.6, up: 0.9 }, aspect, 28);
      const half = Math.tan((14 * Math.PI) / 180) * (distance - 0.6);
      expect(half).toBeGreaterThan(0.9);
      expect(half * aspect).toBeGreaterThan(0.6);
    }
  });
});
