import { describe, expect, it } from "vitest";

import { kindOf, learningOf, refusal } from "../../src/studio/materials";
import { fileNameOf, madeAfter, quoted, repeatOf } from "../../src/studio/repeat";
import { EMPTY_DOCUMENT, NEUTRAL } from "../../src/studio/state";

describe("files", () => {
  it("are known by their endings", () => {
    expect(["a.BVH", "b.glb", "c.vrm", "d.wav", "e.kinp", "f.eaf", "g.exe", "none"].map(kindOf)).toEqual(
      ["motion", "either", "character", "sound", "project", "annotation", "unknown", "unknown"],
    );
  });

  it("together are something to learn from", () => {
    expect(learningOf(["a/1.bvh", "a/1.wav"])).toBe("model");
    expect(learningOf(["a.anvil", "a.wav"])).toBe("speaker");
    expect(learningOf(["a.bvh", "b.bvh"])).toBeNull();
  });

  it("are refused before they are sent", () => {
    const limits = { ".wav": 2e6 };
    expect(refusal(limits, "a.wav", 100)).toBe("");
    expect(refusal(limits, "a.wav", 9e6)).toBe("a.wav has 9 MB; at most 2 MB are allowed.");
    expect(refusal(limits, "a.exe", 1)).toContain("Allowed are: .wav");
    expect(refusal(limits, "a.wav", 0)).toBe("a.wav is empty.");
  });
});

describe("repeating a take", () => {
  const text = { ...EMPTY_DOCUMENT, source: "text" as const, speaking: { ...EMPTY_DOCUMENT.speaking, text: "It's huge", amount: 0.5 }, script: "made" };

  it("is a command and a line of Python", () => {
    const repeat = repeatOf({ ...text, directing: { ...NEUTRAL, manner: "proudly" } }, "take.glb", "made", ["host"]);
    expect(repeat?.command).toBe("kinesphere perform 'It'\\''s huge' --style host --amount 0.5 --seed 1 --manner proudly -o take.glb");
    expect(repeat?.python).toContain('ks.perform("It\'s huge", "host", amount=0.5, seed=1, manner="proudly")');
  });

  it("names a stance other than the speaker's own", () => {
    const repeat = repeatOf({ ...text, speaking: { ...text.speaking, stance: "calm" } }, "take.glb", "made", ["host"]);
    expect(repeat?.command).toContain(" --amount 0.5 --stance calm --seed 1 ");
    expect(repeat?.python).toContain('amount=0.5, stance="calm", seed=1');
  });

  it("is not possible when it was edited by hand", () => {
    const repeats = (changes: object, made: string | null = "made"): boolean => repeatOf({ ...text, ...changes }, "x", made, ["host"]) !== null;
    expect(repeats({})).toBe(true);
    expect(repeats({ directing: { ...NEUTRAL, parts: { arms: { time: 1 } } } })).toBe(false);
    expect(repeats({ script: "edited" })).toBe(false);
    expect(repeats({}, null)).toBe(false);
    expect(repeats({ character: "u1" })).toBe(false);
    expect(repeats({ speaking: { ...text.speaking, style: "u2" } })).toBe(false);
    expect(repeats({ source: "voice" })).toBe(false);
  });

  it("knows the script that was performed only if it saw it filled in", () => {
    expect(madeAfter(null, null, "a")).toBeNull();
    expect(madeAfter(null, "", "a")).toBe("a");
    expect(madeAfter("a", "a", "b")).toBe("a");
    expect(madeAfter("a", "b", "")).toBeNull();
  });

  it("quotes what a shell would read", () => {
    expect(quoted("plain-1.0")).toBe("plain-1.0");
    expect(quoted("$(rm)")).toBe("'$(rm)'");
  });
});

describe("fileNameOf", () => {
  it("is a name that every system and shell takes", () => {
    expect(fileNameOf("I know it looks huge", ".glb")).toBe("I-know-it-looks-huge.glb");
    expect(fileNameOf("../Grüße? *", ".glb")).toBe("Grüße.glb");
    expect(fileNameOf("?", ".glb")).toBe("untitled.glb");
  });
});
