import type { Colours } from "./colours";
import { button, element } from "./dom";
import { icon } from "./icons";
import { cleared, drawLines, drawRows, drawRuler, RULER, type TimelineView } from "./timeline-drawing";
import { described, following, moved, type Row, type Span, timeAt, xOf, zoomed } from "./timeline-layout";

const NARROW = 640;

/** Pixels left of the track for the names of rows, on a narrow page and on others, and right of it. */
export interface Margins {
  readonly narrow: number;
  readonly wide: number;
  readonly right: number;
}

/** Rows over time below a ruler, with a playhead: a press or a drag goes there, pinching zooms. */
export class TimeRows {
  readonly canvas = element("canvas", { role: "img" });
  readonly ruler = element("canvas", { role: "img", "aria-label": "Times" });
  readonly playhead = element("div", { class: "playhead" });
  readonly zoomButtons = [
    button({ label: "Timeline: zoom out", icon: icon("wider") }, () => this.#zoom(2)),
    button({ label: "Timeline: zoom in", icon: icon("closer") }, () => this.#zoom(0.5)),
  ];
  /** Called when a person has chosen another stretch of time. */
  onLook: () => void = () => {};
  /** Called before drawing; returns the height of what lies between ruler and rows. */
  onDraw: (span: Span, gutter: number, track: number) => number = () => 0;
  readonly #margins: Margins;
  readonly #seek: (time: number) => void;
  #rows: readonly Row[] = [];
  #height = 0;
  #duration = 0;
  #span: Span = { start: 0, end: 1 };
  #colours: Colours | null = null;
  #width = 0;
  #time = 0;

  /** `root` is as wide as the rows. */
  constructor(root: HTMLElement, margins: Margins, seek: (time: number) => void) {
    this.#margins = margins;
    this.#seek = seek;
    this.listen(this.canvas);
    this.listen(this.ruler);
    new ResizeObserver(() => {
      this.#width = root.clientWidth;
      this.draw();
      this.at(this.#time);
    }).observe(root);
  }

  get span(): Span {
    return this.#span;
  }

  /** Another length and stretch of it; drawn with the next rows. */
  fit(duration: number, span: Span): void {
    this.#duration = duration;
    this.#span = span;
  }

  show({ rows, height }: { rows: readonly Row[]; height: number }): void {
    this.#rows = rows;
    this.#height = height;
    this.draw();
  }

  paint(colours: Colours): void {
    this.#colours = colours;
    this.draw();
  }

  at(time: number): void {
    this.#time = time;
    if (this.#duration <= 0) return;
    const span = following(this.#span, time, this.#duration);
    if (span !== this.#span) {
      this.#span = span;
      this.draw();
    }
    this.#movePlayhead();
  }

  draw(): void {
    const between = this.onDraw(this.#span, this.#gutter, this.#track);
    if (this.#width === 0 || this.#duration <= 0) return;
    const ruler = this.#view(this.ruler, RULER);
    const rows = this.#view(this.canvas, Math.max(this.#height, 1));
    if (!ruler || !rows) return;
    drawRuler(ruler);
    drawLines(rows, this.#height);
    drawRows(rows, this.#rows);
    this.playhead.style.height = `${RULER + between + this.#height}px`;
    this.#movePlayhead();
  }

  /** Let presses, drags and the wheel over an area go to times; `pressed` is told of presses. */
  listen(area: HTMLElement, pressed: () => void = () => {}): void {
    area.addEventListener("pointerdown", (event) => {
      if (event.target !== area || event.button !== 0) return;
      area.setPointerCapture(event.pointerId);
      pressed();
      this.#seek(this.#timeOf(event));
    });
    area.addEventListener("pointermove", (event) => {
      if (area.hasPointerCapture(event.pointerId)) this.#seek(this.#timeOf(event));
      else if (area === this.canvas) area.title = described(this.#rows, this.#timeOf(event), event.offsetY);
    });
    area.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
  }

  get #gutter(): number {
    return this.#width < NARROW ? this.#margins.narrow : this.#margins.wide;
  }

  get #track(): number {
    return Math.max(this.#width - this.#gutter - this.#margins.right, 1);
  }

  #movePlayhead(): void {
    const inside = this.#time >= this.#span.start - 1e-9 && this.#time <= this.#span.end + 1e-9;
    const x = inside ? this.#gutter + xOf(this.#time, this.#span, this.#track) : -9;
    this.playhead.style.transform = `translateX(${x}px)`;
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
    this.onLook();
    this.draw();
  }

  #timeOf(event: MouseEvent): number {
    const x = event.clientX - this.canvas.getBoundingClientRect().left - this.#gutter;
    return Math.min(Math.max(timeAt(x, this.#span, this.#track), 0), this.#duration);
  }

  /** Pinching, or the wheel with Ctrl, zooms; sideways (or with Shift) moves; otherwise the page scrolls. */
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
