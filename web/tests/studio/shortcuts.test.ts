import { describe, expect, it } from "vitest";

import { actOf, type Press, SHORTCUTS } from "../../src/studio/shortcuts";

const press = (key: string, ...with_: ("ctrlKey" | "metaKey" | "shiftKey" | "altKey")[]): Press => ({
  key,
  ctrlKey: with_.includes("ctrlKey"),
  metaKey: with_.includes("metaKey"),
  shiftKey: with_.includes("shiftKey"),
  altKey: with_.includes("altKey"),
});

describe("shortcuts", () => {
  it.each([
    [press(" "), "play"],
    [press("ArrowLeft"), "back"],
    [press("ArrowRight", "shiftKey"), "forward-far"],
    [press("Home"), "start"],
    [press("End"), "end"],
    [press("z", "ctrlKey"), "undo"],
    [press("z", "metaKey"), "undo"],
    [press("Z", "ctrlKey", "shiftKey"), "redo"],
    [press("y", "ctrlKey"), "redo"],
    [press("1"), "view-angle"],
    [press("4"), "view-top"],
    [press("b"), "split"],
    [press("B", "shiftKey"), "split"],
    [press("t"), "theme"],
    [press("a"), "add"],
    [press("Delete"), "delete"],
    [press("?", "shiftKey"), "help"],
  ])("%o does %s", (pressed, act) => {
    expect(actOf(pressed)).toBe(act);
  });

  it("leave the browser's own keys alone", () => {
    for (const key of ["a", "b", "t", "1", " ", "l"]) expect(actOf(press(key, "ctrlKey"))).toBeNull();
    expect(actOf(press("ArrowLeft", "altKey"))).toBeNull();
    expect(actOf(press("q"))).toBeNull();
  });

  it("leave controls what they need themselves", () => {
    expect(actOf(press("a"), "text")).toBeNull();
    expect(actOf(press("z", "ctrlKey"), "text")).toBeNull();
    expect(actOf(press(" "), "button")).toBeNull();
    expect(actOf(press("b"), "button")).toBe("split");
    expect(actOf(press("ArrowLeft"), "slider")).toBeNull();
    expect(actOf(press(" "), "slider")).toBe("play");
    expect(actOf(press("z", "ctrlKey"), "list")).toBe("undo");
    expect(actOf(press("t"), "list")).toBeNull();
  });

  it("have each key once and a text", () => {
    const keys = SHORTCUTS.map(({ keys: k }) => k);
    expect(new Set(keys).size).toBe(keys.length);
    for (const { says } of SHORTCUTS) expect(says).not.toBe("");
  });
});
