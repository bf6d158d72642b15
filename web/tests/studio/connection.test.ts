import { beforeEach, describe, expect, it } from "vitest";

import { Connection, type ConnectionState, type Socket, type Surroundings, waitMs } from "../../src/studio/connection";
import { type Reply, VERSION } from "../../src/studio/messages";

class FakeSocket implements Socket {
  binaryType = "";
  onopen: (() => void) | null = null;
  onclose: (() => void) | null = null;
  onmessage: ((event: { data: unknown }) => void) | null = null;
  readonly sent: (string | ArrayBuffer)[] = [];

  send(data: string | ArrayBuffer): void {
    this.sent.push(data);
  }

  close(): void {
    this.onclose?.();
  }

  hear(reply: object): void {
    this.onmessage?.({ data: JSON.stringify(reply) });
  }
}

const WELCOME = { type: "welcome", session: "s-1", known: false };

describe("connection", () => {
  let sockets: FakeSocket[];
  let waits: { act: () => void; ms: number }[];
  let session: string;
  let states: ConnectionState[];
  let replies: Reply[];
  let bytes: ArrayBuffer[];
  let connection: Connection;

  beforeEach(() => {
    [sockets, waits, session, states, replies, bytes] = [[], [], "", [], [], []];
    const around: Surroundings = {
      open: () => {
        const socket = new FakeSocket();
        sockets.push(socket);
        return socket;
      },
      later: (act, ms) => {
        waits.push({ act, ms });
      },
      readSession: () => session,
      keepSession: (id) => {
        session = id;
      },
    };
    connection = new Connection(around, {
      reply: (reply) => replies.push(reply),
      bytes: (data) => bytes.push(data),
      state: (state) => states.push(state),
    });
    connection.start();
  });

  const last = (): FakeSocket => sockets[sockets.length - 1] as FakeSocket;
  const welcomed = (): void => {
    last().onopen?.();
    last().hear(WELCOME);
  };

  it("says hello first and is open once it is welcome", () => {
    last().onopen?.();
    expect(JSON.parse(String(last().sent[0]))).toEqual({ type: "hello", version: VERSION, session: "" });
    expect(connection.state).toBe("connecting");
    expect(connection.send({ type: "undo" })).toBe(false);
    last().hear(WELCOME);
    expect(connection.state).toBe("open");
    expect(states).toEqual(["open"]);
    expect(connection.send({ type: "undo" })).toBe(true);
    expect(last().sent.at(-1)).toBe('{"type":"undo"}');
  });

  it("comes back with its session", () => {
    welcomed();
    last().onclose?.();
    expect(states).toEqual(["open", "lost"]);
    waits[0]?.act();
    last().onopen?.();
    expect(JSON.parse(String(last().sent[0])).session).toBe("s-1");
    last().hear({ ...WELCOME, known: true });
    expect(states).toEqual(["open", "lost", "open"]);
  });

  it("waits longer and longer, but not for ever, and starts again after a success", () => {
    welcomed();
    for (let k = 0; k < 8; k += 1) {
      last().onclose?.();
      waits.at(-1)?.act();
    }
    expect(waits.map(({ ms }) => ms)).toEqual([250, 500, 1000, 2000, 4000, 5000, 5000, 5000]);
    welcomed();
    last().onclose?.();
    expect(waits.at(-1)?.ms).toBe(waitMs(0));
  });

  it("is lost, not connecting, when the first attempt fails", () => {
    last().onclose?.();
    expect(connection.state).toBe("lost");
  });

  it("tries at once when asked, and only once", () => {
    welcomed();
    last().onclose?.();
    connection.retry();
    connection.retry();
    expect(sockets.length).toBe(2);
    waits[0]?.act();
    expect(sockets.length).toBe(2);
  });

  it("hears nothing more of a socket that it has left", () => {
    const first = last();
    welcomed();
    first.onclose?.();
    connection.retry();
    first.hear({ type: "request-failed", text: "late", about: "" });
    expect(replies.map(({ type }) => type)).toEqual(["welcome"]);
  });

  it("hands bytes on as they are", () => {
    welcomed();
    const data = new ArrayBuffer(8);
    last().onmessage?.({ data });
    expect(bytes).toEqual([data]);
  });
});
