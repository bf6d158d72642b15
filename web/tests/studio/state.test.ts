import { describe, expect, it } from "vitest";

import type { JobProgress, Welcome } from "../../src/studio/messages";
import { EMPTY_DOCUMENT, isEmpty, isNeutral, NEUTRAL, reduced, START } from "../../src/studio/state";
import { largest, Uploads, uploadsOf, withIds, withKnown } from "../../src/studio/uploads";

const job = (number: number, state: JobProgress["state"], ratio = 0): JobProgress => ({ type: "job-progress", job: number, label: "work", state, ratio, text: "" });
const welcome = (known: boolean): Welcome => ({ type: "welcome", known, session: "s", styles: [], models: [] }) as unknown as Welcome;

describe("state", () => {
  it("has the newest document", () => {
    const changed = { ...START.changed, revision: 4, can_undo: true, document: { ...EMPTY_DOCUMENT, title: "mine" } };
    const after = reduced(START, changed);
    expect(after.changed).toBe(changed);
    expect(START.changed.revision).toBe(0);
  });

  it("lists work while it goes on", () => {
    let state = reduced(START, job(1, "waiting"));
    state = reduced(state, job(2, "running", 0.2));
    state = reduced(state, job(1, "running", 0.5));
    expect(state.jobs.map(({ job: n, ratio }) => [n, ratio])).toEqual([[1, 0.5], [2, 0.2]]);
    for (const end of ["done", "failed", "cancelled"] as const) {
      expect(reduced(state, job(1, end)).jobs.map(({ job: n }) => n)).toEqual([2]);
    }
  });

  it("forgets work with every welcome: the server says again what still goes on", () => {
    const state = reduced(START, job(1, "running"));
    for (const known of [true, false]) expect(reduced(state, welcome(known)).jobs).toEqual([]);
  });

  it("learns new styles and models", () => {
    const state = reduced(START, welcome(false));
    const styles = [{ name: "ann", label: "Ann", group: "learned" }];
    expect(reduced(state, { type: "learned", styles, models: [] }).welcome?.styles).toBe(styles);
  });

  it("does not change for what concerns others", () => {
    expect(reduced(START, { type: "request-failed", text: "no", about: "" })).toBe(START);
    const talking = { type: "talking", on: false, level_db: -80, heard_s: 0, step_ms: 0, speaking: false } as const;
    expect(reduced(START, talking)).toBe(START);
    expect(reduced(START, { ...talking, on: true }).talking).toBe(true);
  });
});

describe("documents", () => {
  it("are neutral when directing changes nothing", () => {
    expect(isNeutral(NEUTRAL)).toBe(true);
    expect(isNeutral({ ...NEUTRAL, parts: { arms: { time: 0 } }, manner: " " })).toBe(true);
    expect(isNeutral({ ...NEUTRAL, parts: { arms: { time: 0.1 } } })).toBe(false);
    expect(isNeutral({ ...NEUTRAL, physics: "body" })).toBe(false);
    expect(isNeutral({ ...NEUTRAL, tension: { error_m: 0, zeta: 1 } })).toBe(false);
  });

  it("are empty until something would be missed", () => {
    expect(isEmpty(EMPTY_DOCUMENT)).toBe(true);
    expect(isEmpty({ ...EMPTY_DOCUMENT, source: "text" })).toBe(false);
    expect(isEmpty({ ...EMPTY_DOCUMENT, character: "u1" })).toBe(false);
  });
});

describe("uploads", () => {
  const document = { ...EMPTY_DOCUMENT, sound: "a", character: "b", speaking: { ...EMPTY_DOCUMENT.speaking, style: "c" } };

  it("are found in a document and replaced", () => {
    expect(uploadsOf(document)).toEqual(["a", "b", "c", "house"]);
    const after = withIds(document, new Map([["a", "x"], ["c", "z"]]), ["b"]);
    expect([after.sound, after.character, after.speaking.style, after.speaking.model]).toEqual(["x", "", "z", "house"]);
  });

  it("are sent again after a restart, as far as they are still known", async () => {
    let count = 0;
    const uploads = new Uploads(async (_file, name) => `${name}-${(count += 1)}`);
    const id = await uploads.send(new Blob(["x"]), "talk.wav");
    const { document: after, missing } = await uploads.again({ ...document, sound: id });
    expect(after.sound).toBe("talk.wav-2");
    expect(missing).toEqual(["b"]);
    expect(uploads.nameOf("talk.wav-2")).toBe("talk.wav");
  });

  it("of what the server made itself are kept too, but never replace what was sent", async () => {
    const uploads = new Uploads(async (_file, name) => `${name}-1`);
    uploads.remember("b", new Blob(["x"]), "character.vrm");
    const id = await uploads.send(new Blob(["y"]), "talk.wav");
    uploads.remember(id, new Blob(["z"]), "recording.wav");
    expect(uploads.nameOf(id)).toBe("talk.wav");
    expect((await uploads.again({ ...document, sound: "" })).document.character).toBe("character.vrm-1");
  });

  it("leave a learned style that is gone", () => {
    const styles = [{ name: "host", label: "Host", group: "" }];
    expect(withKnown(document, styles, [], () => false).speaking.style).toBe("host");
    expect(withKnown(document, styles, [], (id) => id === "c").speaking.style).toBe("c");
    expect(withKnown(document, styles, [], () => false).speaking.model).toBe("house");
  });

  it("have limits by ending", () => {
    expect(largest({ ".wav": 5 }, "My Talk.WAV")).toBe(5);
    expect(largest({ ".wav": 5 }, "a.exe")).toBeUndefined();
  });
});
