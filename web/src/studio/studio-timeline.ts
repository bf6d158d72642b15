import type { Colours } from "../colours";
import { element } from "../dom";
import type { TierData } from "../page-data";
import { TimeRows } from "../time-rows";
import { rowsOf, type Waveform, zoomed } from "../timeline-layout";
import { sentence } from "./fields";
import { orderedRows, withoutNumbers, wordEnds } from "./gesture-layout";
import { type GestureActs, GestureTrack } from "./gesture-track";
import type { DocumentGesture, TimelineRow } from "./messages";

const MARGINS = { narrow: 76, wide: 96, right: 14 };
/** As much of a long take as can be read is shown at first. */
const FIRST_S = 20;
/** Sounds of speech are worth a row only where they are wide enough to read. */
const PHONES_S = 3.5;

export interface TimelineActs extends GestureActs {
  seek(time: number): void;
}

/** Gestures, words, phases, sentences and sound of the take. */
export class StudioTimeline {
  readonly root = element("section", { class: "timeline", "aria-label": "Timeline" });
  readonly zoomButtons: HTMLElement;
  readonly gestures: GestureTrack;
  readonly #rows: TimeRows;
  readonly #empty = element("p", { class: "empty" }, "Words and gestures appear here once something is performed.");
  readonly #name = element("span", { class: "row-name" }, "Gestures");
  readonly #invite = element("span", { class: "invite" }, "Double-click here, or press A, to add a gesture");
  #tiers: readonly TimelineRow[] = [];
  #waveform: Waveform | null = null;
  #duration = 0;
  #chosen = false;
  #close = false;

  constructor(acts: TimelineActs) {
    const rows = new TimeRows(this.root, MARGINS, (time) => acts.seek(time));
    this.#rows = rows;
    this.gestures = new GestureTrack(acts);
    this.gestures.root.append(this.#name, this.#invite);
    this.zoomButtons = element("div", { class: "zoom-buttons" }, ...rows.zoomButtons);
    rows.canvas.setAttribute("aria-label", "Words, phases and audio over time");
    rows.listen(this.gestures.root, () => acts.choose(null));
    rows.onLook = () => {
      this.#chosen = true;
      if (this.#close !== this.#readable) this.#layOut();
    };
    rows.onDraw = (span, gutter, track) => {
      this.gestures.look(span, gutter, track);
      return this.gestures.root.offsetHeight;
    };
    this.root.append(element("div", { class: "ruler" }, rows.ruler), this.gestures.root, rows.canvas, rows.playhead, this.#empty);
  }

  /** Another take; the stretch shown stays while the length does. */
  show(rows: readonly TimelineRow[], gestures: readonly DocumentGesture[], duration: number): void {
    this.#tiers = rows.map(withoutNumbers);
    // A stretch that a person has chosen stays, unless this is quite another take.
    if (Math.abs(this.#duration - duration) > 0.5 * duration) this.#chosen = false;
    this.#duration = duration;
    const { span } = this.#rows;
    const length = span.end - span.start;
    const first = Math.max(Math.min(duration, FIRST_S), 1e-3);
    const anew = !this.#chosen && Math.abs(length - first) > 1e-6;
    this.#rows.fit(duration, anew ? { start: 0, end: first } : zoomed(span, Math.min(1, duration / length), span.start, duration));
    this.gestures.show(gestures, wordEnds(rows), duration);
    this.#layOut();
  }

  /** Gestures alone have changed; their take is on its way. Some takes cannot have any. */
  showGestures(gestures: readonly DocumentGesture[], possible: boolean): void {
    this.gestures.root.hidden = !possible && gestures.length === 0;
    this.#invite.hidden = gestures.length > 0;
    this.gestures.show(gestures, wordEnds(this.#tiers), Math.max(this.#duration, 0));
    this.#layOut();
  }

  set waveform(waveform: Waveform | null) {
    this.#waveform = waveform && { ...waveform, name: "Sound" };
    this.#layOut();
  }

  paint(colours: Colours): void {
    this.#rows.paint(colours);
  }

  at(time: number): void {
    this.#rows.at(time);
  }

  /** Whether sounds of speech are wide enough to read. */
  get #readable(): boolean {
    const { start, end } = this.#rows.span;
    return end - start < PHONES_S;
  }

  #layOut(): void {
    this.#close = this.#readable;
    const rows = orderedRows(this.#tiers).filter(({ name }) => name !== "phones" || this.#close);
    const tiers = rows.map((row) => ({ name: sentence(row.name), intervals: intervalsOf(row) }));
    const empty = this.#duration <= 0;
    this.root.classList.toggle("is-empty", empty);
    this.#empty.hidden = !empty;
    this.#rows.show(rowsOf([{ title: "", tiers, curves: [] }], [this.#waveform]));
  }
}

function intervalsOf({ starts, ends, labels }: TimelineRow): TierData["intervals"] {
  return starts.map((start, i) => [start, ends[i] ?? start, labels[i] ?? ""]);
}
