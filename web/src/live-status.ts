import { element } from "./dom";
import type { StreamState } from "./live-stream";

const WORDS: Readonly<Record<StreamState, string>> = {
  connecting: "Connecting",
  live: "Live",
  lost: "Connection lost, reconnecting",
  ended: "Ended, waiting for the next stream",
  refused: "Closed: open the new URL",
};

/** What the line tells while frames come. */
export interface Reading {
  readonly fps: number;
  readonly drawn: number;
  readonly delay_s: number;
  readonly skipped: number;
}

/** The line below the stage: whether frames come, how many, how late, and what the sender says. */
export class StatusLine {
  readonly root = element("footer", { class: "status" });
  readonly #state = element("span", { class: "state", role: "status" });
  readonly #fps = element("span", { class: "reading", title: "Frames received per second" });
  readonly #delay = element("span", { class: "reading", title: "From receiving a frame to displaying it" });
  readonly #note = element("span", { class: "note" });

  constructor() {
    this.root.append(this.#state, this.#fps, this.#delay, this.#note);
    this.state = "connecting";
  }

  set state(state: StreamState) {
    this.root.dataset["state"] = state;
    this.#state.replaceChildren(element("i", { class: "lamp" }), WORDS[state]);
  }

  set note(text: string) {
    put(this.#note, text);
    this.#note.title = text;
  }

  /** Null where no frames come. */
  show(reading: Reading | null): void {
    put(this.#fps, reading ? `${Math.round(reading.fps)} fps` : "");
    put(this.#delay, reading ? `delay ${Math.round(1000 * reading.delay_s)} ms` : "");
    const skipped = reading?.skipped ? `, ${reading.skipped} skipped` : "";
    this.#fps.title = reading
      ? `Frames received per second; ${Math.round(reading.drawn)} are drawn${skipped}`
      : "";
  }
}

function put(where: HTMLElement, text: string): void {
  if (where.textContent !== text) where.textContent = text;
}
