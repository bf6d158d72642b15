import { Box3, Vector3 } from "three";
import { describe, expect, it } from "vitest";

import { Coverage } from "../src/coverage";
import { ARMS, standing, type ViewName } from "../src/framing";

const box = (x: number, y: number, z: number): Box3 => new Box3(new Vector3(-x / 2, 0, -z / 2), new Vector3(x / 2, y, z / 2));

describe("what takes cover", () => {
  const walk = new Coverage([box(0.8, 1.7, 0.5), box(1, 1.8, 6)]);

  it("is all of their ways, or the person alone who is followed", () => {
    expect([walk.travels, new Coverage([box(1.4, 1.8, 0.6)]).travels]).toEqual([true, false]);
    expect(walk.framing(false)("side")).toEqual({ across: 3, up: 0.9, middle: 0.9 });
    expect(walk.framing(false)("front").across).toBeCloseTo(ARMS * 1.8);
    expect(walk.framing(true)("side").across).toBeCloseTo(ARMS * 1.8);
    expect(walk.framing(true)("top").up).toBeCloseTo(ARMS * 1.8);
  });

  it("goes below the floor where they do", () => {
    const sunk = new Coverage([box(1, 1.8, 0.5).translate(new Vector3(0, -0.2, 0))]).framing(true)("front");
    expect(sunk.middle).toBeCloseTo(0.7);
    expect(sunk.up).toBeCloseTo(0.9);
  });
});

describe("one who stands", () => {
  it("has room above the head and to the sides, from everywhere", () => {
    for (const view of ["angle", "front", "side"] as ViewName[]) {
      const { across, up, middle } = standing(2)(view);
      expect(across).toBeCloseTo(2 * ARMS);
      expect(middle + up).toBeGreaterThan(2);
    }
    expect(standing(2)("top").up).toBeCloseTo(2 * ARMS);
  });
});
