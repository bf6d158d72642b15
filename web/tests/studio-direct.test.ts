import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { DirectingDraft, tidied, withFactor } from "../src/studio/directing-draft";
import { DirectSelection } from "../src/studio/direct-selection";
import { FACTORS, applies, factorOf, partsOf, signed } from "../src/studio/factors";
import type { Directing } from "../src/studio/messages";
import { errorAt, lengthText, placedLabels, xOfError, yOfZeta, zetaAt } from "../src/studio/tension-scale";
import { Throttle } from "../src/studio/throttle";

const PLAIN: Directing = { manner: "", parts: {}, phrase: [], tension: null, physics: "off" };
const weight = (value: number): Directing => withFactor(PLAIN, ["left-arm", "right-arm"], "weight", value);

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe("a throttle", () => {
  it("acts at once, then no more often than asked, and with the newest", () => {
    const seen: number[] = [];
    const throttle = new Throttle<number>((value) => seen.push(value), 10);
    for (let i = 0; i < 100; i += 1) {
      throttle.call(i);
      vi.advanceTimersByTime(10);
    }
    expect(seen[0]).toBe(0);
    expect(seen.length).toBeGreaterThanOrEqual(9);
    expect(seen.length).toBeLessThanOrEqual(11);
    vi.advanceTimersByTime(200);
    expect(seen.at(-1)).toBe(99);
  });

  it("leaves nothing behind when flushed, and drops what is cancelled", () => {
    const seen: string[] = [];
    const throttle = new Throttle<string>((value) => seen.push(value), 10);
    throttle.call("a");
    throttle.call("b");
    throttle.flush();
    throttle.call("c");
    throttle.cancel();
    vi.advanceTimersByTime(500);
    expect(seen).toEqual(["a", "b"]);
  });
});

describe("a draft of directing", () => {
  function made(): { draft: DirectingDraft; sent: { directing: Directing; group: string }[] } {
    const sent: { directing: Directing; group: string }[] = [];
    return { draft: new DirectingDraft(PLAIN, (directing, group) => sent.push({ directing, group })), sent };
  }

  it("sends a drag at most 15 times a second, as one group, with its end", () => {
    const { draft, sent } = made();
    draft.hold("weight");
    for (let i = 1; i <= 100; i += 1) {
      draft.change(weight(i / 100), "weight");
      vi.advanceTimersByTime(10);
    }
    draft.release();
    expect(sent.length).toBeLessThanOrEqual(17);
    expect(sent.length).toBeGreaterThanOrEqual(14);
    expect(new Set(sent.map((s) => s.group)).size).toBe(1);
    expect(sent.at(-1)?.directing.parts["left-arm"]?.["weight"]).toBe(1);
  });

  it("gives each drag its own group", () => {
    const { draft, sent } = made();
    for (const value of [0.3, 0.6]) {
      draft.hold("weight");
      draft.change(weight(value), "weight");
      draft.release();
    }
    expect(new Set(sent.map((s) => s.group)).size).toBe(2);
  });

  it("joins key presses that follow each other, not those of other things", () => {
    const { draft, sent } = made();
    draft.change(weight(0.1), "weight");
    vi.advanceTimersByTime(100);
    draft.change(weight(0.2), "weight");
    vi.advanceTimersByTime(100);
    draft.change({ ...draft.shown, physics: "wrists" }, "physics");
    vi.advanceTimersByTime(2000);
    draft.change(weight(0.3), "weight");
    vi.advanceTimersByTime(100);
    const groups = sent.map((s) => s.group);
    expect(groups.length).toBe(4);
    expect(groups[0]).toBe(groups[1]);
    expect(new Set(groups).size).toBe(3);
  });

  it("does not jump back to answers to older values", () => {
    const { draft } = made();
    draft.hold("weight");
    draft.change(weight(0.2), "weight");
    draft.change(weight(0.5), "weight");
    draft.agree(weight(0.2));
    expect(draft.shown).toEqual(weight(0.5));
    draft.release();
    draft.agree(weight(0.2));
    expect(draft.shown).toEqual(weight(0.5));
    draft.agree(weight(0.5));
    draft.agree(PLAIN);
    expect(draft.shown).toEqual(PLAIN);
  });

  it("shows what the server has if that never agrees, or refuses", () => {
    const { draft } = made();
    draft.change(weight(0.5), "weight");
    draft.agree(weight(0.4));
    expect(draft.shown).toEqual(weight(0.5));
    vi.advanceTimersByTime(2000);
    expect(draft.shown).toEqual(weight(0.4));
    draft.change(weight(0.9), "weight");
    draft.giveUp(PLAIN);
    expect(draft.shown).toEqual(PLAIN);
  });

  it("is tidy: no zeros, no empty parts, points in order", () => {
    const phrase = [
      { part: "torso", factor: "flow", time_s: 2, value: 1 },
      { part: "left-arm", factor: "flow", time_s: 1, value: 1 },
      { part: "torso", factor: "flow", time_s: 1, value: 1 },
    ];
    const result = tidied({ ...weight(0), phrase });
    expect(result.parts).toEqual({});
    expect(result.phrase.map((p) => [p.part, p.time_s])).toEqual([["left-arm", 1], ["torso", 1], ["torso", 2]]);
  });
});

describe("factors and parts", () => {
  it("know what both arms are, and that a torso does not reach", () => {
    expect(partsOf("arms")).toEqual(["left-arm", "right-arm"]);
    expect(partsOf("torso")).toEqual(["torso"]);
    expect(FACTORS.length).toBe(8);
    expect(applies(factorOf("reach"), ["torso"])).toBe(false);
    expect(applies(factorOf("reach"), ["left-arm"])).toBe(true);
    expect(() => factorOf("speed")).toThrow("space");
  });

  it("leave a factor that the part has not", () => {
    const selection = new DirectSelection("arms");
    let changes = 0;
    selection.onChange(() => (changes += 1));
    selection.select("arms", "reach");
    selection.select("torso");
    expect(selection.factor.name).toBe("space");
    selection.select("torso");
    expect(changes).toBe(2);
  });

  it("are written with a true minus", () => {
    expect([signed(-0.5), signed(0.25), signed(-0.001), signed(0)]).toEqual(["\u22120.50", "+0.25", "0.00", "0.00"]);
  });
});

describe("the tension pad's scale", () => {
  it("goes there and back", () => {
    for (const error of [0.001, 0.005, 0.035, 0.15, 0.3]) expect(errorAt(xOfError(error))).toBeCloseTo(error, 9);
    for (const zeta of [0.1, 0.3, 0.65, 1]) expect(zetaAt(yOfZeta(zeta))).toBeCloseTo(zeta, 9);
  });

  it("ends at its ends", () => {
    expect([errorAt(-1), errorAt(2), zetaAt(-1), zetaAt(2)]).toEqual([0.001, 0.3, 0.1, 1]);
    expect([xOfError(2), yOfZeta(5)]).toEqual([1, 1]);
  });

  it("writes lengths as people say them", () => {
    expect([0.001, 0.0055, 0.01, 0.035, 0.3].map(lengthText)).toEqual(["1 mm", "5.5 mm", "1 cm", "3.5 cm", "30 cm"]);
  });

  it("puts labels where they cover neither each other nor a dot", () => {
    const dots = [[140, 80, 28], [130, 80, 40], [100, 50, 40], [10, 120, 50], [160, 5, 30]].map(([x = 0, y = 0, width = 0]) => ({ x, y, width }));
    const boxes = placedLabels(dots, { width: 164, height: 134 });
    boxes.forEach((a, i) => {
      expect(a.x).toBeGreaterThanOrEqual(0);
      expect(a.x + a.width).toBeLessThanOrEqual(164);
      boxes.forEach((b, k) => {
        const apart = a.x >= b.x + b.width || b.x >= a.x + a.width || a.y >= b.y + b.height || b.y >= a.y + a.height;
        expect(i === k || apart).toBe(true);
      });
    });
  });
});
