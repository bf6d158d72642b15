import { beforeEach, describe, expect, it } from "vitest";

import type { Connection } from "../../src/studio/connection";
import type { Changed, Document, FigureReady, Reply, Request, Welcome } from "../../src/studio/messages";
import { EMPTY_DOCUMENT, NEUTRAL, START } from "../../src/studio/state";
import { Store } from "../../src/studio/store";
import { Uploads } from "../../src/studio/uploads";
import { clipBytes, ready, still } from "./packets-for-tests";

const welcome = (known: boolean): Welcome =>
  ({ type: "welcome", session: "s", known, styles: [{ name: "host", label: "Host", group: "" }], models: [] }) as unknown as Welcome;
const changed = (document: Partial<Document>, revision: number): Changed => ({ ...START.changed, document: { ...EMPTY_DOCUMENT, ...document }, revision });
const figure = (id: number): FigureReady => ({ type: "figure-ready", id, name: "", url: "", vrm: false, joints: ["a"], shapes: ["x"], bones: {}, home: "" });

describe("store", () => {
  let store: Store;
  let sent: Request[];
  let said: [string, string][];
  let open: boolean;
  let count: number;

  beforeEach(() => {
    [sent, said, open, count] = [[], [], true, 0];
    const uploads = new Uploads(async (_file, name) => `${name}#${(count += 1)}`);
    store = new Store(uploads, { say: (text, kind) => said.push([text, kind]), seek: () => {}, time: () => 1.5, sent: () => {} });
    store.connection = {
      get state() {
        return open ? "open" : "lost";
      },
      send: (message: Request) => open && sent.push(message) > 0,
    } as unknown as Connection;
  });

  const come = (...replies: Reply[]): void => {
    for (const reply of replies) store.receive(reply);
  };

  it("tells of changes before it tells of any reply", () => {
    const heard: string[] = [];
    store.on("changed", ({ revision }) => heard.push(`changed ${revision} ${store.revision}`));
    store.on("reply", ({ type }) => heard.push(type));
    come(welcome(true), changed({}, 3));
    expect(heard).toEqual(["welcome", "changed 3 3", "changed"]);
  });

  it("shows a take once its frames are there and it is of the character on the stage", () => {
    const takes: number[] = [];
    store.on("take", ({ take }) => takes.push(take));
    come(welcome(true), figure(2), changed({ source: "text" }, 1));
    store.bytes(clipBytes(1, 1, 60, [still(0)]));
    come(ready({ take: 1, figure: 1 }));
    store.bytes(clipBytes(2, 2, 60, [still(0)]));
    come(ready({ take: 2, figure: 2 }));
    expect(takes).toEqual([2]);
    expect(store.take?.take).toBe(2);
    come(figure(3));
    expect(store.take).toBeNull();
  });

  it("ignores takes that end after everything was undone", () => {
    come(welcome(true), figure(1), changed({ source: "nothing" }, 2));
    store.bytes(clipBytes(1, 1, 60, [still(0)]));
    come(ready({ take: 1 }));
    expect(store.take).toBeNull();
  });

  it("knows what is plain", () => {
    come(welcome(true), figure(1), changed({ source: "text", directing: { ...NEUTRAL, manner: "sadly" } }, 1));
    store.bytes(clipBytes(1, 1, 60, [still(0)]));
    store.bytes(clipBytes(2, 1, 60, [still(0)]));
    come(ready({ take: 1, plain: true }), ready({ take: 2 }));
    expect(store.takes.plain?.ready.take).toBe(1);
    expect(store.takes.current?.ready.take).toBe(2);
  });

  it("says what goes wrong", () => {
    come(welcome(true), { type: "request-failed", text: "no such style", about: "perform" });
    come({ type: "job-progress", job: 1, label: "performing", state: "failed", ratio: 1, text: "no voice" });
    store.bytes(new ArrayBuffer(3));
    open = false;
    store.send({ type: "undo" });
    expect(said.map(([, kind]) => kind)).toEqual(["problem", "problem", "problem", "problem"]);
    expect(said[0]?.[0]).toBe("no such style");
    expect(sent).toEqual([]);
  });

  it("gives a server that was started anew everything back", async () => {
    come(welcome(false));
    const sound = await store.upload(new Blob(["x"]), "talk.wav");
    come(changed({ source: "voice", sound, speaking: { ...EMPTY_DOCUMENT.speaking, style: "learned" } }, 9));
    come(welcome(false), changed({}, 0));
    await expect.poll(() => sent.length).toBe(1);
    const [restore] = sent;
    expect(restore).toMatchObject({ type: "restore", document: { source: "voice", sound: "talk.wav#2", speaking: { style: "host" } } });
  });

  it("does so again when that one goes as well", async () => {
    come(welcome(false), changed({ source: "text" }, 4));
    come(welcome(false), changed({}, 0), welcome(false), changed({}, 0));
    await expect.poll(() => sent.length).toBe(2);
    expect(sent[1]).toMatchObject({ type: "restore", document: { source: "text" } });
  });

  it("restores nothing where there was nothing, or where the session is known", async () => {
    come(welcome(false), changed({}, 0), welcome(false), changed({ source: "text" }, 1), welcome(true));
    await Promise.resolve();
    expect(sent).toEqual([]);
  });
});
