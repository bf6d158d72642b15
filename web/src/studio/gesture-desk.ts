import { GestureEditor, OWN_FORM } from "./gesture-editor";
import type { Timing } from "./gesture-layout";
import type { DocumentGesture } from "./messages";
import type { Store } from "./store";
import type { StudioTimeline } from "./studio-timeline";

/** What the rest of the page does for gestures. */
export interface DeskActs {
  /** Go to a time and stay there. */
  visit(time: number): void;
  /** So many pixels at the right of the stage are covered. */
  cover(pixels: number): void;
}

const MARGIN = 12;
/** The lexeme that a new gesture has when none is chosen to be like. */
const USUAL = /^beat$/i;

/** The gesture that is chosen: on the timeline, in the editor, and what keys do to it. */
export class GestureDesk {
  readonly #store: Store;
  readonly #timeline: StudioTimeline;
  readonly #acts: DeskActs;
  #editor: GestureEditor | null = null;

  constructor(store: Store, timeline: StudioTimeline, acts: DeskActs) {
    this.#store = store;
    this.#timeline = timeline;
    this.#acts = acts;
  }

  /** The editor's card; it needs to know the lexicon, so it comes with the first welcome. */
  open(): HTMLElement {
    this.#editor = new GestureEditor(this.#store, { choose: (id) => this.choose(id) });
    return this.#editor.root;
  }

  /** The document has changed. */
  refresh(): void {
    const { gestures, source } = this.#store.document;
    this.#timeline.showGestures(gestures, source !== "motion");
    this.#show(this.#chosen);
  }

  choose(id: number | null): void {
    this.#timeline.gestures.chosen = id;
    const gesture = this.#chosen;
    this.#show(gesture);
    if (gesture) this.#acts.visit(gesture.time_s);
  }

  retime(id: number, timing: Timing): void {
    const { stroke_s: before } = this.#store.document.gestures.find((gesture) => gesture.id === id) ?? timing;
    if (this.#store.document.source !== "voice") this.#store.send({ type: "edit-gesture", id, ...timing });
    else if (timing.stroke_s === before) this.#store.send({ type: "edit-gesture", id, time_s: timing.time_s });
    else this.#store.say(OWN_FORM);
  }

  /** Add a gesture like the chosen one, and choose it. */
  add(time: number): void {
    const { document, welcome, takes } = this.#store;
    const lexeme = this.#chosen?.lexeme ?? (welcome.lexemes.find(({ name }) => USUAL.test(name)) ?? welcome.lexemes[0])?.name;
    if (!takes.current || !lexeme) {
      this.#store.say("Perform something first, then add gestures to it.");
      return;
    }
    const known = new Set(document.gestures.map(({ id }) => id));
    const stop = this.#store.on("changed", ({ document: now }) => {
      stop();
      const added = now.gestures.find(({ id }) => !known.has(id));
      if (added) this.choose(added.id);
    });
    this.#store.send({ type: "add-gesture", time_s: Math.round(time * 1000) / 1000, lexeme });
  }

  remove(): void {
    const id = this.#timeline.gestures.chosen;
    if (id !== null) this.#store.send({ type: "delete-gesture", id });
  }

  get #chosen(): DocumentGesture | null {
    const id = this.#timeline.gestures.chosen;
    return this.#store.document.gestures.find((gesture) => gesture.id === id) ?? null;
  }

  #show(gesture: DocumentGesture | null): void {
    this.#editor?.show(gesture);
    this.#acts.cover(gesture && this.#editor ? this.#editor.root.offsetWidth + MARGIN : 0);
  }
}
