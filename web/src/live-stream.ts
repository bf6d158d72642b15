import { type Message, Splitter } from "./live-frames";

/** "refused": the address is no longer right; asking again would not help. */
export type StreamState = "connecting" | "live" | "lost" | "ended" | "refused";

/** The sender gives a sign of life every second. */
const SILENCE_MS = 4000;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 3000;
const WAIT_GROWTH = 1.6;

/** Reads messages for as long as the page is open; what breaks is tried again. */
export class LiveStream {
  onMessage: (message: Message) => void = () => {};
  onState: (state: StreamState) => void = () => {};
  readonly #address: string;
  #state: StreamState = "connecting";
  #wait = FIRST_WAIT_MS;
  #wake: () => void = () => {};

  constructor(address: string) {
    this.#address = address;
  }

  get state(): StreamState {
    return this.#state;
  }

  async run(): Promise<void> {
    // A person who comes back to the page, or to the network, need not wait.
    for (const name of ["online", "focus"]) window.addEventListener(name, () => this.#wake());
    while (this.#state !== "refused") {
      const end = await this.#once().catch((): StreamState => "lost");
      // The sender that has ended stays ended until another one answers.
      if (end !== "lost" || this.#state !== "ended") this.#enter(end);
      if (end !== "refused") await this.#pause();
    }
  }

  /** One connection, from asking to its end. */
  async #once(): Promise<StreamState> {
    const stop = new AbortController();
    let alarm = setTimeout(() => stop.abort(), SILENCE_MS);
    try {
      const answer = await fetch(this.#address, { cache: "no-store", signal: stop.signal });
      if (answer.status === 403) return "refused";
      if (!answer.ok || !answer.body) return "lost";
      this.#wait = FIRST_WAIT_MS;
      const splitter = new Splitter();
      const reader = answer.body.getReader();
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return "lost";
        clearTimeout(alarm);
        alarm = setTimeout(() => stop.abort(), SILENCE_MS);
        if (this.#take(splitter.push(value))) return "ended";
      }
    } finally {
      clearTimeout(alarm);
      stop.abort();
    }
  }

  /** True when the sender says that this is the end. */
  #take(messages: readonly Message[]): boolean {
    for (const message of messages) {
      if (message.kind === "end") return true;
      if (message.kind === "hello") this.#enter("live");
      this.onMessage(message);
    }
    return false;
  }

  #enter(state: StreamState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.onState(state);
  }

  #pause(): Promise<void> {
    const wait = this.#wait;
    this.#wait = Math.min(WAIT_GROWTH * wait, LONGEST_WAIT_MS);
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, wait);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
