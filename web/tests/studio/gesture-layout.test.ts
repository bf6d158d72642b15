import { describe, expect, it } from "vitest";

import { blockOf, movedTo, neighbour, orderedRows, placed, SHORTEST_STROKE_S, snapped, stretchedTo, withoutNumbers, wordEnds } from "../../src/studio/gesture-layout";
import { matching } from "../../src/studio/lexeme-list";
import type { DocumentGesture, TimelineRow } from "../../src/studio/messages";
import { placeWith } from "../../src/studio/place-field";

const gesture = (id: number, time_s: number, stroke_s = 0.3, hold_s = 0): DocumentGesture => ({
  id,
  lexeme: "Cup",
  hands: "RH",
  time_s,
  stroke_s,
  hold_s,
  start: "",
  end: "",
  words: "",
  reason: "",
  anchor: null,
  pinned: false,
});
const row = (name: string, ends: number[] = []): TimelineRow => ({ name, starts: ends.map((e) => e - 0.1), ends, labels: ends.map(String) });

describe("gestures on the timeline", () => {
  it("last from the beginning of the stroke to the end of the hold", () => {
    expect(blockOf(gesture(1, 2, 0.5, 1))).toEqual({ id: 1, start: 1.5, strokeEnd: 2, end: 3 });
    expect(blockOf(gesture(1, 0.1, 0.5)).start).toBe(0);
  });

  it("lie in order, and below each other where they overlap", () => {
    const { blocks, lanes } = placed([gesture(3, 5), gesture(1, 1, 0.5, 1), gesture(2, 1.8)]);
    expect(blocks.map(({ id, lane }) => [id, lane])).toEqual([[1, 0], [2, 1], [3, 0]]);
    expect(lanes).toBe(2);
  });

  it("snap to the end of a word when near, and only then", () => {
    const ends = wordEnds([row("phones", [9]), row("words", [1, 2, 2.05])]);
    expect(snapped(1.04, ends, 0.05)).toBe(1);
    expect(snapped(1.06, ends, 0.05)).toBe(1.06);
    expect(snapped(2.04, ends, 0.05)).toBe(2.05);
    expect(snapped(1, [], 1)).toBe(1);
  });

  it("move as a whole within the take", () => {
    expect(movedTo(gesture(1, 2, 0.5), 3.21987, 10)).toEqual({ time_s: 3.22, stroke_s: 0.5 });
    expect(movedTo(gesture(1, 2, 0.5), -4, 10).time_s).toBe(0.5);
    expect(movedTo(gesture(1, 2, 0.5), 40, 10).time_s).toBe(10);
  });

  it("stretch at the end of the stroke, whose beginning stays", () => {
    expect(stretchedTo(gesture(1, 2, 0.5), 2.5, 10)).toEqual({ time_s: 2.5, stroke_s: 1 });
    const least = stretchedTo(gesture(1, 2, 0.5), 0, 10);
    expect(least.stroke_s).toBeCloseTo(SHORTEST_STROKE_S);
    expect(least.time_s - least.stroke_s).toBeCloseTo(1.5);
  });

  it("have neighbours in time", () => {
    const all = [gesture(7, 3), gesture(2, 1), gesture(5, 2)];
    expect(neighbour(all, 5, 1)?.id).toBe(7);
    expect(neighbour(all, 5, -1)?.id).toBe(2);
    expect(neighbour(all, 7, 1)).toBeUndefined();
  });
});

describe("rows", () => {
  it("have an order, phones last, without the gestures that have a track of their own", () => {
    const names = orderedRows(["phones", "gestures", "left-arm", "own", "words", "sentences"].map((name) => row(name))).map(({ name }) => name);
    expect(names).toEqual(["sentences", "words", "left-arm", "own", "phones"]);
  });
});

describe("choosing", () => {
  it("finds lexemes by name, kind or meaning", () => {
    const lexemes = [
      { name: "Cup", kind: "metaphoric", meaning: "palm up: offers", hands: ["RH"] },
      { name: "Wipe", kind: "metaphoric", meaning: "clears away", hands: ["2H"] },
      { name: "Beat", kind: "beat", meaning: "marks stress", hands: ["RH"] },
    ];
    expect([...matching(lexemes, "").keys()]).toEqual(["metaphoric", "beat"]);
    expect(matching(lexemes, "meta OFFERS").get("metaphoric")?.map(({ name }) => name)).toEqual(["Cup"]);
    expect(matching(lexemes, "nothing").size).toBe(0);
  });

  it("writes places whole", () => {
    const places = { height: ["head", "chest", "belt"], distance: ["far", "normal"], radial: ["front"], inclination: ["out", "normal"] };
    expect(placeWith(places, "chest/far/front/out", 0, "belt")).toBe("belt/far/front/out");
    expect(placeWith(places, "", 1, "far")).toBe("chest/far/front/normal");
    expect(placeWith(places, "chest/far/front/out", 2, "")).toBe("");
  });
});

describe("withoutNumbers", () => {
  it("shows pieces of a model's movements without their numbers", () => {
    const times = { starts: [0, 1], ends: [1, 2] };
    expect(withoutNumbers({ ...times, name: "arms", labels: ["0", "44"] }).labels).toEqual(["", ""]);
    expect(withoutNumbers({ ...times, name: "left-arm", labels: ["rest", "3"] }).labels).toEqual(["rest", "3"]);
    expect(withoutNumbers({ ...times, name: "words", labels: ["7", "8"] }).labels).toEqual(["7", "8"]);
  });
});
