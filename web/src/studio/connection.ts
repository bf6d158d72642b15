import { type Reply, type Request, VERSION } from "./messages";

/** `connecting` before the first answer, `lost` from then on whenever there is none. */
export type ConnectionState = "connecting" | "open" | "lost";

/** What of a WebSocket is used. */
export interface Socket {
  binaryType: string;
  onopen: (() => void) | null;
  onclose: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  send(data: string | ArrayBuffer): void;
  close(): void;
}

/** What a connection needs of its surroundings. */
export interface Surroundings {
  open(): Socket;
  /** Do something after so many milliseconds. */
  later(act: () => void, ms: number): void;
  /** The session this page had, kept over reloads. */
  readSession(): string;
  keepSession(id: string): void;
}

export interface ConnectionActs {
  /** Any message; a welcome comes before the state is `open`. */
  reply(reply: Reply): void;
  bytes(data: ArrayBuffer): void;
  state(state: ConnectionState): void;
}

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 5000;

/** How long to wait before the n-th attempt after a loss, n from 0. */
export function waitMs(attempt: number): number {
  return Math.min(FIRST_WAIT_MS * 2 ** attempt, LONGEST_WAIT_MS);
}

/** One WebSocket after another to the same server; open once the server has said welcome. */
export class Connection {
  readonly #around: Surroundings;
  readonly #acts: ConnectionActs;
  #socket: Socket | null = null;
  #state: ConnectionState = "connecting";
  #attempt = 0;
  #waiting = 0;

  constructor(around: Surroundings, acts: ConnectionActs) {
    this.#around = around;
    this.#acts = acts;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  start(): void {
    this.#connect();
  }

  /** Do not wait any longer for the next attempt. */
  retry(): void {
    if (this.#socket) return;
    this.#attempt = 0;
    this.#connect();
  }

  /** True if it could be sent. */
  send(message: Request | ArrayBuffer): boolean {
    if (this.#state !== "open" || !this.#socket) return false;
    this.#socket.send(message instanceof ArrayBuffer ? message : JSON.stringify(message));
    return true;
  }

  #connect(): void {
    this.#waiting += 1;
    const socket = this.#around.open();
    this.#socket = socket;
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      socket.send(JSON.stringify({ type: "hello", version: VERSION, session: this.#around.readSession() }));
    };
    socket.onmessage = ({ data }) => {
      if (socket === this.#socket) this.#take(data);
    };
    socket.onclose = () => {
      if (socket === this.#socket) this.#lose();
    };
  }

  #take(data: unknown): void {
    if (data instanceof ArrayBuffer) {
      this.#acts.bytes(data);
      return;
    }
    const reply = JSON.parse(String(data)) as Reply;
    this.#acts.reply(reply);
    if (reply.type !== "welcome") return;
    this.#around.keepSession(reply.session);
    this.#attempt = 0;
    this.#become("open");
  }

  #lose(): void {
    this.#socket = null;
    this.#become("lost");
    const mine = this.#waiting;
    this.#around.later(() => {
      if (mine === this.#waiting && !this.#socket) this.#connect();
    }, waitMs(this.#attempt));
    this.#attempt += 1;
  }

  #become(state: ConnectionState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#acts.state(state);
  }
}

const SESSION_KEY = "kinesphere-session";

/** The real surroundings: a WebSocket beside the page. */
export function browserSurroundings(): Surroundings {
  return {
    open: () => {
      const url = new URL("ws", location.href);
      url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
      return new WebSocket(url) as unknown as Socket;
    },
    later: (act, ms) => {
      setTimeout(act, ms);
    },
    readSession: () => sessionStorage.getItem(SESSION_KEY) ?? "",
    keepSession: (id) => sessionStorage.setItem(SESSION_KEY, id),
  };
}
