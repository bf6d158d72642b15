import type { Colours } from "./colours";
import { button, element } from "./dom";
import { icon } from "./icons";
import type { SceneData } from "./page-data";
import { cleared, drawLines, drawRows, drawRuler, RULER, type TimelineView } from "./timeline-drawing";
import {
  described,
  following,
  moved,
  type Row,
  rowsOf,
  type Span,
  timeAt,
  type Waveform,
  xOf,
  zoomed,
} from "./timeline-layout";

const NARROW = 640;

/** Rows of words, phases, prosody and sound over time; a press or a drag goes there. */
export class Timeline {
  readonly root: HTMLElement;
  readonly empty: boolean;
  readonly #canvas = element("canvas");
  readonly #ruler = element("canvas");
  readonly #playhead = element("div", { class: "playhead" });
  readonly #rows: readonly Row[];
  readonly #height: number;
  readonly #duration: number;
  readonly #seek: (time: number) => void;
  #span: Span;
  #colours: Colours | null = null;
  #width = 0;
  #time = 0;

  constructor(
    scenes: readonly SceneData[],
    waveforms: readonly (Waveform | null)[],
    duration: number,
    seek: (time: number) => void,
  ) {
    ({ rows: this.#rows, height: this.#height } = rowsOf(scenes, waveforms));
    this.empty = this.#rows.length === 0;
    this.#duration = Math.max(duration, 1e-3);
    this.#span = { start: 0, end: this.#duration };
    this.#seek = seek;
    const zoom = element(
      "div",
      { class: "zoom" },
      button({ label: "Timeline: zoom out", icon: icon("wider") }, () => this.#zoom(2)),
      button({ label: "Timeline: zoom in", icon: icon("closer") }, () => this.#zoom(0.5)),
    );
    this.root = element("section", { class: "timeline", "aria-label": "Timeline" });
    const top = element("div", { class: "ruler" }, this.#ruler, zoom);
    this.root.append(top, this.#canvas, this.#playhead);
    this.root.hidden = this.empty;
    this.#canvas.setAttribute("role", "img");
    this.#canvas.setAttribute("aria-label", `Timeline with ${this.#rows.length} rows`);
    this.#listen();
    new ResizeObserver(() => this.#resize()).observe(this.root);
  }

  paint(colours: Colours): void {
    this.#colours = colours;
    this.#draw();
  }

  show(time: number): void {
    this.#time = time;
    const span = following(this.#span, time, this.#duration);
    if (span !== this.#span) {
      this.#span = span;
      this.#draw();
    }
    const x = this.#gutter + xOf(time, this.#span, this.#track);
    this.#playhead.style.transform = `translateX(${x}px)`;
  }

  get #gutter(): number {
    return this.#width < NARROW ? 92 : 112;
  }

  get #track(): number {
    return Math.max(this.#width - this.#gutter - 12, 1);
  }

  #resize(): void {
    this.#width = this.root.clientWidth;
    this.#draw();
    this.show(this.#time);
  }

  #draw(): void {
    if (this.empty || this.#width === 0) return;
    const ruler = this.#view(this.#ruler, RULER);
    const rows = this.#view(this.#canvas, this.#height);
    if (!ruler || !rows) return;
    drawRuler(ruler);
    drawLines(rows, this.#height);
    drawRows(rows, this.#rows);
    this.#playhead.style.height = `${RULER + this.#height}px`;
  }

  #view(canvas: HTMLCanvasElement, height: number): TimelineView | null {
    const context = this.#colours && cleared(canvas, this.#width, height);
    if (!context || !this.#colours) return null;
    return { context, colours: this.#colours, span: this.#span, gutter: this.#gutter, track: this.#track };
  }

  #zoom(factor: number, at = this.#time): void {
    this.#look(zoomed(this.#span, factor, at, this.#duration));
  }

  #look(span: Span): void {
    this.#span = span;
    this.#draw();
    const x = this.#gutter + xOf(this.#time, span, this.#track);
    const inside = this.#time >= span.start && this.#time <= span.end;
    this.#playhead.style.transform = `translateX(${inside ? x : -9}px)`;
  }

  #timeOf(event: MouseEvent): number {
    const x = event.clientX - this.#canvas.getBoundingClientRect().left - this.#gutter;
    return Math.min(Math.max(timeAt(x, this.#span, this.#track), 0), this.#duration);
  }

  #listen(): void {
    for (const canvas of [this.#canvas, this.#ruler]) {
      canvas.addEventListener("pointerdown", (event) => {
        canvas.setPointerCapture(event.pointerId);
        this.#seek(this.#timeOf(event));
      });
      canvas.addEventListener("pointermove", (event) => {
        if (canvas.hasPointerCapture(event.pointerId)) this.#seek(this.#timeOf(event));
        else if (canvas === this.#canvas) this.#describe(event);
      });
      canvas.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    }
  }

  #describe(event: PointerEvent): void {
    this.#canvas.title = described(this.#rows, this.#timeOf(event), event.offsetY);
  }

  /** Pinching, or the wheel with Ctrl, zooms; sideways moves; otherwise the page scrolls. */
  #wheel(event: WheelEvent): void {
    if (event.ctrlKey || event.metaKey) {
      this.#zoom(Math.exp(0.01 * event.deltaY), this.#timeOf(event));
    } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      const by = (event.deltaX / this.#track) * (this.#span.end - this.#span.start);
      this.#look(moved(this.#span, by, this.#duration));
    } else {
      return;
    }
    event.preventDefault();
  }
}
