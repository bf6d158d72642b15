import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { Message } from "../src/live-frames";
import { LiveStream, type StreamState } from "../src/live-stream";

const KINDS = { hello: 0, note: 2, alive: 3, end: 4 };

function bytes(...kinds: (keyof typeof KINDS)[]): Uint8Array {
  return Uint8Array.from(kinds.flatMap((kind) => [0, 0, 0, 0, KINDS[kind], 0, 0, 0]));
}

/** A sender that is there or not, and says what it is told to. */
class FakeSender {
  asked = 0;
  answer: "nobody" | "refuses" | "talks" = "talks";
  #say: ReadableStreamDefaultController<Uint8Array> | null = null;

  readonly fetch = (_: string, { signal }: { signal: AbortSignal }): Promise<Response> => {
    this.asked += 1;
    if (this.answer === "nobody") return Promise.reject(new TypeError("no connection"));
    if (this.answer === "refuses") return Promise.resolve(new Response("no", { status: 403 }));
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        this.#say = controller;
        signal.addEventListener("abort", () => this.#fail(controller));
        controller.enqueue(bytes("hello"));
      },
    });
    return Promise.resolve(new Response(body));
  };

  say(...kinds: (keyof typeof KINDS)[]): Promise<unknown> {
    this.#say?.enqueue(bytes(...kinds));
    return vi.advanceTimersByTimeAsync(1);
  }

  hangUp(): Promise<unknown> {
    this.#say?.close();
    this.#say = null;
    return vi.advanceTimersByTimeAsync(1);
  }

  #fail(controller: ReadableStreamDefaultController<Uint8Array>): void {
    if (this.#say === controller) controller.error(new DOMException("gone", "AbortError"));
    this.#say = null;
  }
}

let sender: FakeSender;
let states: StreamState[];
let heard: Message["kind"][];
let wake: (() => void)[];

async function start(answer: FakeSender["answer"] = "talks"): Promise<LiveStream> {
  sender.answer = answer;
  const stream = new LiveStream("frames");
  stream.onState = (state) => states.push(state);
  stream.onMessage = ({ kind }) => heard.push(kind);
  void stream.run();
  await vi.advanceTimersByTimeAsync(1);
  return stream;
}

beforeEach(() => {
  vi.useFakeTimers();
  [sender, states, heard, wake] = [new FakeSender(), [], [], []];
  vi.stubGlobal("fetch", sender.fetch);
  vi.stubGlobal("window", { addEventListener: (_: string, act: () => void) => wake.push(act) });
});

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe("the stream", () => {
  it("tells what it hears", async () => {
    const stream = await start();
    await sender.say("note", "alive");
    expect(heard).toEqual(["hello", "note", "alive"]);
    expect([stream.state, ...states]).toEqual(["live", "live"]);
  });

  it("comes back when it was lost", async () => {
    await start();
    await sender.hangUp();
    expect(states).toEqual(["live", "lost"]);
    await vi.advanceTimersByTimeAsync(300);
    expect(states).toEqual(["live", "lost", "live"]);
    expect(heard).toEqual(["hello", "hello"]);
  });

  it("asks ever less often, but soon when a person comes back", async () => {
    await start("nobody");
    await vi.advanceTimersByTimeAsync(30000);
    expect(sender.asked).toBeGreaterThan(8);
    expect(sender.asked).toBeLessThan(20);
    expect(states).toEqual(["lost"]);
    sender.answer = "talks";
    for (const act of wake) act();
    await vi.advanceTimersByTimeAsync(1);
    expect(states).toEqual(["lost", "live"]);
  });

  it("has ended when the sender says so, until one answers again", async () => {
    await start();
    sender.answer = "nobody";
    await sender.say("end");
    await vi.advanceTimersByTimeAsync(2000);
    expect(states).toEqual(["live", "ended"]);
    sender.answer = "talks";
    await vi.advanceTimersByTimeAsync(3100);
    expect(states).toEqual(["live", "ended", "live"]);
  });

  it("does not insist where it is refused", async () => {
    const stream = await start("refuses");
    await vi.advanceTimersByTimeAsync(20000);
    expect([stream.state, sender.asked]).toEqual(["refused", 1]);
  });

  it("takes a long silence for a loss, not a short one", async () => {
    await start();
    for (let k = 0; k < 10; k += 1) {
      await vi.advanceTimersByTimeAsync(3000);
      await sender.say("alive");
    }
    expect(states).toEqual(["live"]);
    await vi.advanceTimersByTimeAsync(4001);
    expect(states).toEqual(["live", "lost"]);
  });
});
