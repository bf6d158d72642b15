import { describe, expect, it } from "vitest";

import type { TimelineRow } from "../src/studio/messages";
import {
  CLOSEST_S,
  added,
  curveOf,
  hasCurve,
  movedPoint,
  pathOf,
  snapTargets,
  snapped,
  valueAt,
  withCurve,
  without,
} from "../src/studio/phrase-curves";
import type { Curve } from "../src/studio/phrase-curves";
import { stepped } from "../src/studio/phrase-steps";
import { PhraseView } from "../src/studio/phrase-view";
import golden from "./studio-response-golden.json";

const CURVE: Curve = [{ time: 0.5, value: -0.5 }, { time: 1.25, value: 1 }, { time: 2, value: 0.25 }];

const ROWS: TimelineRow[] = [
  { name: "words", starts: [0.2, 0.9], ends: [0.8, 1.4], labels: ["well", "yes"] },
  { name: "left-arm", starts: [0.3], ends: [0.9], labels: ["stroke"] },
  { name: "right-arm", starts: [0.35], ends: [0.95], labels: ["hold"] },
  { name: "phones", starts: [0.21], ends: [0.29], labels: ["w"] },
];

describe("curves of a phrase", () => {
  it("ease as the Python module's do, and are held outside", () => {
    const { times, weight } = golden.numbers.phrase;
    times.forEach((time, i) => expect(valueAt(CURVE, time)).toBeCloseTo(weight[i] ?? NaN, 12));
    expect(valueAt([], 1)).toBeNull();
    expect(valueAt([{ time: 1, value: 0.3 }], 0)).toBe(0.3);
  });

  it("come back from the document as they were put into it, for each part alike", () => {
    const others = [{ part: "torso", factor: "weight", time_s: 1, value: 0.1 }, { part: "left-arm", factor: "flow", time_s: 1, value: 0.2 }];
    const phrase = withCurve(others, ["left-arm", "right-arm"], "weight", CURVE);
    expect(curveOf(phrase, "left-arm", "weight")).toEqual(CURVE);
    expect(curveOf(phrase, "right-arm", "weight")).toEqual(CURVE);
    expect(curveOf(phrase, "torso", "weight")).toEqual([{ time: 1, value: 0.1 }]);
    expect(withCurve(phrase, ["left-arm", "right-arm"], "weight", [])).toEqual(others);
    const directing = { manner: "", parts: {}, phrase, tension: null, physics: "off" } as const;
    expect(hasCurve(directing, ["right-arm"], "weight")).toBe(true);
    expect(hasCurve(directing, ["right-arm"], "flow")).toBe(false);
  });

  it("get points in order of time, but not two at one time", () => {
    const made = added(CURVE, { time: 1, value: 2 });
    expect(made?.index).toBe(1);
    expect(made?.curve.map((p) => p.time)).toEqual([0.5, 1, 1.25, 2]);
    expect(made?.curve[1]?.value).toBe(1);
    expect(added(CURVE, { time: 1.2501, value: 0 })).toBeNull();
    expect(added([], { time: -1, value: 0 })?.curve).toEqual([{ time: 0, value: 0 }]);
    expect(made && without(made.curve, made.index)).toEqual(CURVE);
  });

  it("keep moved points between their neighbours, in the take and in the range", () => {
    const at = (time: number, value: number, index = 1) => movedPoint(CURVE, index, { time, value }, 3)[index];
    expect(at(0, 0)?.time).toBeCloseTo(0.5 + CLOSEST_S, 9);
    expect(at(9, 0)?.time).toBeCloseTo(2 - CLOSEST_S, 9);
    expect(at(9, -7, 2)).toEqual({ time: 3, value: -1 });
    expect(at(-4, 0.123456, 0)).toEqual({ time: 0, value: 0.12 });
    expect(movedPoint(CURVE, 7, { time: 1, value: 1 }, 3)).toBe(CURVE);
    expect(Object.is(at(1, -0.0001)?.value, 0)).toBe(true);
  });

  it("are drawn exactly: a level handle a third of the way is smoothstep", () => {
    const path = pathOf([{ time: 0, value: 0 }, { time: 3, value: 1 }], (t) => 10 * t, (v) => 100 * v, 0, 4);
    expect(path).toBe("M0.00 0.00H0.00C10.00 0.00 20.00 100.00 30.00 100.00H40.00");
    expect(pathOf([], (t) => t, (v) => v, 0, 1)).toBe("");
  });
});

describe("snapping", () => {
  it("goes to phases of the arm that is meant, and to words", () => {
    expect(snapTargets(ROWS, ["left-arm"]).map((t) => t.time)).toEqual([0.2, 0.3, 0.8, 0.9, 1.4]);
    expect(snapTargets(ROWS, ["left-arm", "right-arm"]).map((t) => t.time)).toEqual([0.2, 0.3, 0.35, 0.8, 0.9, 0.95, 1.4]);
    expect(snapTargets(ROWS, ["torso"])).toEqual(snapTargets(ROWS, ["left-arm", "right-arm"]));
  });

  it("goes to segments of both arms where there are no phases, as in a take of a voice", () => {
    const arms = { name: "arms", starts: [0.5], ends: [1.5], labels: ["17"] };
    expect(snapTargets([arms], ["torso"]).map((t) => t.time)).toEqual([0.5, 1.5]);
    expect(snapTargets([...ROWS, arms], ["left-arm"])).toEqual(snapTargets(ROWS, ["left-arm"]));
  });

  it("says what happens then, and of two at one time the phase", () => {
    const labels = new Map(snapTargets(ROWS, ["left-arm"]).map((t) => [t.time, t.label]));
    expect(labels.get(0.3)).toBe("left stroke starts");
    expect(labels.get(0.9)).toBe("left stroke ends");
    expect(labels.get(1.4)).toBe("\u201cyes\u201d ends");
  });

  it("takes the nearest within reach", () => {
    const targets = snapTargets(ROWS, ["right-arm"]);
    expect(snapped(0.93, targets, 0.05)?.time).toBe(0.95);
    expect(snapped(0.91, targets, 0.05)?.time).toBe(0.9);
    expect(snapped(1.1, targets, 0.05)).toBeNull();
  });

  it("is what Shift and an arrow do too", () => {
    const targets = snapTargets(ROWS, ["left-arm"]);
    const from = { time: 0.8, value: 0.5 };
    expect(stepped("ArrowRight", true, from, targets, 0.1)?.point.time).toBe(0.9);
    expect(stepped("ArrowLeft", true, from, targets, 0.1)?.point.time).toBe(0.3);
    expect(stepped("ArrowLeft", false, from, targets, 0.1)?.point.time).toBeCloseTo(0.7, 9);
    expect(stepped("ArrowUp", false, from, targets, 0.1)?.point.value).toBeCloseTo(0.55, 9);
    expect(stepped("ArrowDown", true, from, targets, 0.1)?.point.value).toBeCloseTo(0.3, 9);
    expect(stepped("x", false, from, targets, 0.1)).toBeNull();
    expect(stepped("ArrowRight", true, { time: 5, value: 0 }, targets, 0.1)).toEqual({ point: { time: 5.1, value: 0 }, at: null });
  });
});

describe("the view of a phrase", () => {
  it("goes there and back", () => {
    const view = new PhraseView(400, 190, { start: 1, end: 5 });
    for (const time of [1, 2.5, 5]) expect(view.time(view.x(time))).toBeCloseTo(time, 9);
    for (const value of [-1, 0.25, 1]) expect(view.value(view.y(value))).toBeCloseTo(value, 9);
    expect(view.seconds(view.x(3) - view.x(2))).toBeCloseTo(1, 9);
    expect(view.y(1)).toBeLessThan(view.y(-1));
  });

  it("knows when a point has been dragged out", () => {
    const view = new PhraseView(400, 190, { start: 0, end: 5 });
    expect(view.outside(200, view.y(1) - 10)).toBe(false);
    expect(view.outside(200, view.y(1) - 30)).toBe(true);
    expect(view.outside(200, view.y(-1) + 40)).toBe(true);
    expect(view.outside(-40, view.y(0))).toBe(true);
  });
});
