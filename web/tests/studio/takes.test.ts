import { beforeEach, describe, expect, it } from "vitest";

import { newer, Takes } from "../../src/studio/takes";
import { clip, ready } from "./packets-for-tests";

describe("takes", () => {
  let takes: Takes;
  const come = (changes: Parameters<typeof ready>[0], neutral = false): boolean => {
    const take = ready(changes);
    takes.clip(clip(take.take, undefined, 60, take.figure));
    return takes.ready(take, neutral);
  };

  beforeEach(() => {
    takes = new Takes();
  });

  it("need their frames", () => {
    expect(takes.ready(ready({ take: 3 }), true)).toBe(false);
    expect(takes.current).toBeNull();
    expect(come({ take: 3 }, true)).toBe(true);
    expect(takes.current?.ready.take).toBe(3);
    expect(takes.waiting).toBe(0);
  });

  it("show the first part of a long one, and keep the last whole one until there is another", () => {
    come({ take: 1, revision: 1 }, true);
    come({ take: 2, revision: 2, whole: false }, true);
    expect(takes.current?.ready.take).toBe(2);
    expect(takes.whole?.ready.take).toBe(1);
    come({ take: 3, revision: 2, whole: true }, true);
    expect(takes.whole?.ready.take).toBe(3);
    expect(come({ take: 4, revision: 2, whole: false }, true)).toBe(false);
  });

  it("are never replaced by older ones", () => {
    come({ take: 5, revision: 7 });
    expect(come({ take: 6, revision: 6 })).toBe(false);
    expect(takes.current?.ready.take).toBe(5);
    expect(newer(ready({ take: 6, revision: 8 }), ready({ take: 5, revision: 7 }))).toBe(true);
  });

  it("compare with themselves, with what was there before, then with the plain one", () => {
    come({ take: 1, revision: 1 }, true);
    expect(takes.compared?.ready.take).toBe(1);
    expect(takes.plain).toBeNull();
    come({ take: 2, revision: 2 });
    expect(takes.compared?.ready.take).toBe(1);
    come({ take: 3, revision: 2, plain: true });
    expect(takes.plain?.ready.take).toBe(3);
    expect(takes.compared?.ready.take).toBe(3);
    expect(takes.current?.ready.take).toBe(2);
    come({ take: 4, revision: 3 }, true);
    expect(takes.plain).toBeNull();
    expect(takes.compared?.ready.take).toBe(4);
  });

  it("of another character go when it does", () => {
    come({ take: 1, figure: 1 }, true);
    takes.keepFigure(2);
    expect(takes.current).toBeNull();
    expect(takes.compared).toBeNull();
  });

  it("drop frames that nobody asks for", () => {
    for (let k = 0; k < 40; k += 1) takes.clip(clip(k));
    expect(takes.waiting).toBeLessThan(10);
  });
});
