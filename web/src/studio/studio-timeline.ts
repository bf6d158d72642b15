import type { Colours } from "../colours";
import { button, element } from "../dom";
import { icon } from "../icons";
import type { IntervalData, SceneData } from "../page-data";
import { cleared, drawLines, drawRows, drawRuler, RULER, type TimelineView } from "../timeline-drawing";
import { described, following, moved, type Row, rowsOf, type Span, timeAt, type Waveform, xOf, zoomed } from "../timeline-layout";
import { sentence } from "./fields";
import { orderedRows, withoutNumbers, wordEnds } from "./gesture-layout";
import { type GestureActs, GestureTrack } from "./gesture-track";
import type { Gesture, TimelineRow } from "./messages";

const NARROW = 640;
/** As much of a long take as can be read is shown at first. */
const FIRST_S = 20;
/** Sounds of speech are worth a row only where they are wide enough to read. */
const PHONES_S = 3.5;

export interface TimelineActs extends GestureActs {
  seek(time: number): void;
}

/** Gestures, words, phases, sentences and sound over time; a press or a drag goes there. */
export class StudioTimeline {
  readonly root = element("section", { class: "timeline", "aria-label": "Timeline" });
  readonly zoomButtons: HTMLElement;
  readonly gestures: GestureTrack;
  readonly #canvas = element("canvas", { role: "img", "aria-label": "Words, phases and audio over time" });
  readonly #ruler = element("canvas", { role: "img", "aria-label": "Times" });
  readonly #playhead = element("div", { class: "playhead" });
  readonly #empty = element("p", { class: "empty" });
  readonly #name = element("span", { class: "row-name" }, "Gestures");
  readonly #invite = element("span", { class: "invite" }, "Double-click here, or press A, to add a gesture");
  readonly #acts: TimelineActs;
  #rows: readonly Row[] = [];
  #tiers: readonly TimelineRow[] = [];
  #waveform: Waveform | null = null;
  #height = 0;
  #duration = 0;
  #span: Span = { start: 0, end: 1 };
  #colours: Colours | null = null;
  #width = 0;
  #time = 0;
  #chosen = false;
  #close = false;

  constructor(acts: TimelineActs) {
    this.#acts = acts;
    this.gestures = new GestureTrack(acts);
    this.gestures.root.append(this.#name, this.#invite);
    this.zoomButtons = element(
      "div",
      { class: "zoom-buttons" },
      button({ label: "Timeline: zoom out", icon: icon("wider") }, () => this.#zoom(2)),
      button({ label: "Timeline: zoom in", icon: icon("closer") }, () => this.#zoom(0.5)),
    );
    this.#empty.textContent = "Words and gestures appear here once something is performed.";
    this.root.append(element("div", { class: "ruler" }, this.#ruler), this.gestures.root, this.#canvas, this.#playhead, this.#empty);
    this.#listen();
    new ResizeObserver(() => this.#resize()).observe(this.root);
  }

  /** Another take; the stretch shown stays while the length does. */
  show(rows: readonly TimelineRow[], gestures: readonly Gesture[], duration: number): void {
    this.#tiers = rows.map(withoutNumbers);
    // A stretch that a person has chosen stays, unless this is quite another take.
    if (Math.abs(this.#duration - duration) > 0.5 * duration) this.#chosen = false;
    this.#duration = duration;
    const length = this.#span.end - this.#span.start;
    const first = Math.max(Math.min(duration, FIRST_S), 1e-3);
    if (!this.#chosen && Math.abs(length - first) > 1e-6) this.#span = { start: 0, end: first };
    else this.#span = zoomed(this.#span, Math.min(1, duration / length), this.#span.start, duration);
    this.gestures.show(gestures, wordEnds(rows), duration);
    this.#layOut();
  }

  /** Gestures alone have changed; their take is on its way. Some takes cannot have any. */
  showGestures(gestures: readonly Gesture[], possible: boolean): void {
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
    this.#colours = colours;
    this.#draw();
  }

  at(time: number): void {
    this.#time = time;
    if (this.#duration <= 0) return;
    const span = following(this.#span, time, this.#duration);
    if (span !== this.#span) {
      this.#span = span;
      this.#draw();
    }
    this.#movePlayhead();
  }

  get #gutter(): number {
    return this.#width < NARROW ? 76 : 96;
  }

  get #track(): number {
    return Math.max(this.#width - this.#gutter - 14, 1);
  }

  #layOut(): void {
    this.#close = this.#span.end - this.#span.start < PHONES_S;
    const rows = orderedRows(this.#tiers).filter(({ name }) => name !== "phones" || this.#close);
    const tiers = rows.map((row) => ({ name: sentence(row.name), intervals: intervalsOf(row) }));
    const scene: SceneData = { title: "", glb: "", audio: null, fps: 60, frames: 1, vrm: false, bones: {}, tiers, curves: [] };
    ({ rows: this.#rows, height: this.#height } = rowsOf([scene], [this.#waveform]));
    const empty = this.#duration <= 0;
    this.root.classList.toggle("is-empty", empty);
    this.#empty.hidden = !empty;
    this.#draw();
  }

  #resize(): void {
    this.#width = this.root.clientWidth;
    this.#draw();
    this.at(this.#time);
  }

  #draw(): void {
    this.gestures.look(this.#span, this.#gutter, this.#track);
    if (this.#width === 0 || this.#duration <= 0) return;
    const ruler = this.#view(this.#ruler, RULER);
    const rows = this.#view(this.#canvas, Math.max(this.#height, 1));
    if (!ruler || !rows) return;
    drawRuler(ruler);
    drawLines(rows, this.#height);
    drawRows(rows, this.#rows);
    this.#playhead.style.height = `${RULER + this.gestures.root.offsetHeight + this.#height}px`;
    this.#movePlayhead();
  }

  #movePlayhead(): void {
    const inside = this.#time >= this.#span.start - 1e-9 && this.#time <= this.#span.end + 1e-9;
    const x = inside ? this.#gutter + xOf(this.#time, this.#span, this.#track) : -9;
    this.#playhead.style.transform = `translateX(${x}px)`;
  }

  #view(canvas: HTMLCanvasElement, height: number): TimelineView | null {
    const context = this.#colours && cleared(canvas, this.#width, height);
    if (!context || !this.#colours) return null;
    return { context, colours: this.#colours, span: this.#span, gutter: this.#gutter, track: this.#track };
  }

  #zoom(factor: number, at = this.#time): void {
    if (this.#duration > 0) this.#look(zoomed(this.#span, factor, at, this.#duration));
  }

  #look(span: Span): void {
    this.#span = span;
    this.#chosen = true;
    if (this.#close === span.end - span.start < PHONES_S) this.#draw();
    else this.#layOut();
  }

  #timeOf(event: MouseEvent): number {
    const x = event.clientX - this.#canvas.getBoundingClientRect().left - this.#gutter;
    return Math.min(Math.max(timeAt(x, this.#span, this.#track), 0), this.#duration);
  }

  #listen(): void {
    const areas: readonly HTMLElement[] = [this.#canvas, this.#ruler, this.gestures.root];
    for (const area of areas) {
      area.addEventListener("pointerdown", (event) => {
        if (event.target !== area || event.button !== 0) return;
        area.setPointerCapture(event.pointerId);
        if (area === this.gestures.root) this.#acts.choose(null);
        this.#acts.seek(this.#timeOf(event));
      });
      area.addEventListener("pointermove", (event) => {
        if (area.hasPointerCapture(event.pointerId)) this.#acts.seek(this.#timeOf(event));
        else if (area === this.#canvas) this.#canvas.title = described(this.#rows, this.#timeOf(event), event.offsetY);
      });
      area.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    }
  }

  /** Pinching, or the wheel with Ctrl, zooms; sideways (or with Shift) moves. */
  #wheel(event: WheelEvent): void {
    const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
    if (event.ctrlKey || event.metaKey) {
      this.#zoom(Math.exp(0.01 * event.deltaY), this.#timeOf(event));
    } else if (event.shiftKey || Math.abs(sideways) > Math.abs(event.deltaY)) {
      const by = (sideways / this.#track) * (this.#span.end - this.#span.start);
      this.#look(moved(this.#span, by, this.#duration));
    } else {
      return;
    }
    event.preventDefault();
  }
}

function intervalsOf({ starts, ends, labels }: TimelineRow): IntervalData[] {
  return starts.map((start, i) => [start, ends[i] ?? start, labels[i] ?? ""]);
}
