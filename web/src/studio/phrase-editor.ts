import { element } from "../dom";
import { following, moved, zoomed } from "../timeline-layout";
import type { Span } from "../timeline-layout";
import type { StudioApi } from "./api";
import type { DirectingDraft } from "./directing-draft";
import type { DirectSelection } from "./direct-selection";
import { signed } from "./factors";
import type { MenuChoice } from "./messages";
import { drawBackground } from "./phrase-background";
import { added, curveOf, movedPoint, snapTargets, snapped, valueAt, withCurve, without } from "./phrase-curves";
import type { Curve, CurvePoint, SnapTarget } from "./phrase-curves";
import { PhraseLegend } from "./phrase-legend";
import { PhraseLines, levelOf, shownCurve } from "./phrase-lines";
import { PhrasePoints } from "./phrase-points";
import { stepped } from "./phrase-steps";
import { PhraseView, RULER } from "./phrase-view";
import { set, svg } from "./svg";

const SNAP_PIXELS = 7;
const HINT = "Click the line to add a point, or double-click anywhere. Drag a point out to remove it. Alt: no snapping.";
const ARMS = ["left-arm", "right-arm"];

interface Drag {
  /** The curve with the point in it, as the drag began; and the one before it was added. */
  readonly curve: Curve;
  readonly before: Curve;
  readonly index: number;
  /** From the pointer to the point, in pixels. */
  readonly dx: number;
  readonly dy: number;
}

/** Curves of each factor over the take's time: points dragged, snapped to phases and words. */
export class PhraseEditor {
  readonly root = element("div", { class: "phrase-editor", role: "group", "aria-label": "Phrase editor" });
  readonly #api: StudioApi;
  readonly #draft: DirectingDraft;
  readonly #selection: DirectSelection;
  readonly #legend: PhraseLegend;
  readonly #svg = svg("svg", { class: "phrase-plot", tabindex: 0, role: "group" });
  readonly #background = svg("g");
  readonly #lines = new PhraseLines();
  readonly #guide = svg("line", { class: "phrase-guide" });
  readonly #ends = [svg("text", { class: "phrase-end" }), svg("text", { class: "phrase-end" })] as const;
  readonly #playhead = svg("line", { class: "phrase-playhead", x1: 0, x2: 0, y1: 0 });
  readonly #points = new PhrasePoints();
  readonly #empty = element("p", { class: "phrase-empty" }, "Perform a text or talk first. Then draw here how each quality changes over time.");
  readonly #reading = element("p", { class: "phrase-reading" });
  #view = new PhraseView(320, 180, { start: 0, end: 1 });
  #duration = 1;
  #targets: readonly SnapTarget[] = [];
  #selected = -1;
  #drag: Drag | null = null;
  #seeks = false;
  #at: SnapTarget | null = null;

  constructor(api: StudioApi, parts: readonly MenuChoice[], draft: DirectingDraft, selection: DirectSelection) {
    this.#api = api;
    this.#draft = draft;
    this.#selection = selection;
    this.#legend = new PhraseLegend(parts, draft, selection);
    this.#svg.append(this.#background, ...this.#ends, this.#lines.root, this.#guide, this.#playhead, this.#points.root);
    this.root.append(this.#legend.root, element("div", { class: "phrase-place" }, this.#svg, this.#empty), this.#reading);
    this.#legend.onZoom = (factor) => this.#zoom(factor, this.#api.time);
    this.#points.onFocus = (index) => this.#select(index);
    this.#listen();
    new ResizeObserver(() => this.#layout(this.#view.span)).observe(this.#svg);
    this.takeChanged();
  }

  /** Another take is there, or none. */
  takeChanged(): void {
    const { take } = this.#api;
    const whole = this.#view.span.start === 0 && this.#view.span.end === this.#duration;
    this.#duration = take ? Math.max((take.frames - 1) / take.fps, 0.1) : 1;
    this.#empty.hidden = take !== null;
    this.root.classList.toggle("nothing", take === null);
    const all = { start: 0, end: this.#duration };
    this.#layout(whole || this.#view.span.end > this.#duration ? all : this.#view.span);
  }

  /** Another part or factor is worked on. */
  selectionChanged(): void {
    this.#selected = -1;
    this.#layout(this.#view.span);
  }

  timeChanged(): void {
    const { time } = this.#api;
    const span = following(this.#view.span, Math.min(time, this.#duration), this.#duration);
    if (span !== this.#view.span && !this.#drag) this.#layout(span);
    set(this.#playhead, { transform: `translate(${this.#view.x(time).toFixed(1)} 0)` });
  }

  /** The curves as they are now. */
  show(): void {
    const { factor } = this.#selection;
    const curve = this.#curve;
    if (this.#selected >= curve.length) this.#selected = -1;
    this.#lines.show(this.#draft.shown, this.#selection, this.#view, this.#duration);
    this.#points.show(curve, factor, this.#view, this.#selected);
    this.#legend.show(this.#draft.shown);
    this.#read(curve);
  }

  get #curve(): Curve {
    return shownCurve(this.#draft.shown, this.#selection, this.#selection.factor);
  }

  #layout(span: Span): void {
    this.#view = new PhraseView(this.#svg.clientWidth, this.#svg.clientHeight, span);
    const view = this.#view;
    const { parts, factor } = this.#selection;
    const rows = this.#api.take?.rows ?? [];
    const arms = parts.some((part) => ARMS.includes(part)) ? parts : ARMS;
    this.#targets = snapTargets(rows, parts);
    drawBackground(this.#background, view, rows, arms);
    set(this.#playhead, { y2: view.height });
    set(this.#ends[0], { x: 5, y: view.bottom - 4 });
    set(this.#ends[1], { x: 5, y: view.top + 12 });
    this.#ends[0].textContent = factor.ends[0];
    this.#ends[1].textContent = factor.ends[1];
    this.#svg.setAttribute("aria-label", `Curve of ${factor.label}, from ${factor.ends[0]} to ${factor.ends[1]}. Enter adds a point at the playhead.`);
    this.show();
    set(this.#playhead, { transform: `translate(${view.x(this.#api.time).toFixed(1)} 0)` });
  }

  #read(curve: Curve): void {
    const { factor, parts } = this.#selection;
    const point = curve[this.#selected];
    const differ = parts.some((part) => JSON.stringify(curveOf(this.#draft.shown.phrase, part, factor.name)) !== JSON.stringify(curve));
    let text = differ ? "The arms differ here; an edit sets both to the left arm's curve shown." : HINT;
    if (point) text = `${factor.label} ${signed(point.value)} at ${point.time.toFixed(2)} s${this.#at ? `, ${this.#at.label}` : ""}`;
    if (this.#reading.textContent !== text) this.#reading.textContent = text;
    this.#reading.classList.toggle("told", point !== undefined);
    const guide = this.#drag && this.#at;
    this.#guide.toggleAttribute("hidden", !guide);
    if (!guide) return;
    const x = this.#view.x(guide.time);
    set(this.#guide, { x1: x, x2: x, y1: RULER, y2: this.#view.height });
  }

  #write(curve: Curve, what: string): void {
    const { shown } = this.#draft;
    const { parts, factor } = this.#selection;
    this.#draft.change({ ...shown, phrase: withCurve(shown.phrase, parts, factor.name, curve) }, `${what} ${factor.name}`);
  }

  #select(index: number): void {
    if (index === this.#selected) return;
    this.#selected = index;
    this.#at = null;
    this.show();
  }

  #zoom(factor: number, at: number): void {
    if (this.#api.take) this.#layout(zoomed(this.#view.span, factor, at, this.#duration));
  }

  #listen(): void {
    this.#svg.addEventListener("pointerdown", (event) => this.#press(event));
    this.#svg.addEventListener("pointermove", (event) => this.#move(event));
    for (const name of ["pointerup", "pointercancel"] as const) this.#svg.addEventListener(name, () => this.#drop());
    this.#svg.addEventListener("dblclick", (event) => this.#double(event));
    this.#svg.addEventListener("keydown", (event) => this.#key(event));
    this.#svg.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
  }

  #place(event: MouseEvent): { readonly x: number; readonly y: number } {
    const box = this.#svg.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  #press(event: PointerEvent): void {
    if (event.button !== 0 || !this.#api.take || !(event.target instanceof Element)) return;
    const { x, y } = this.#place(event);
    const point = event.target.closest<SVGElement>("[data-index]")?.dataset["index"];
    const hit = event.target.closest<SVGElement>("[data-factor]")?.dataset["factor"];
    const curve = this.#curve;
    if (point !== undefined) this.#grab(event, curve, curve, Number(point));
    else if (y < RULER) {
      this.#seeks = true;
      this.#svg.setPointerCapture(event.pointerId);
      this.#seek(x);
    } else if (hit === this.#selection.factor.name) this.#insert(event, curve, this.#onCurve(curve, this.#view.time(x)));
    else if (hit !== undefined) this.#selection.select(this.#selection.choice, hit);
    else this.#select(-1);
  }

  #onCurve(curve: Curve, time: number): CurvePoint {
    return { time, value: valueAt(curve, time) ?? levelOf(this.#draft.shown, this.#selection, this.#selection.factor) };
  }

  #insert(event: PointerEvent, before: Curve, point: CurvePoint): void {
    const made = added(before, { ...point, time: Math.min(Math.max(point.time, 0), this.#duration) });
    if (!made) return;
    this.#grab(event, made.curve, before, made.index);
    this.#move(event);
  }

  #grab(event: PointerEvent, curve: Curve, before: Curve, index: number): void {
    const { x, y } = this.#place(event);
    const point = curve[index];
    if (!point) return;
    this.#svg.setPointerCapture(event.pointerId);
    this.#draft.hold(`phrase ${this.#selection.factor.name}`);
    this.#drag = { curve, before, index, dx: this.#view.x(point.time) - x, dy: this.#view.y(point.value) - y };
    this.#selected = index;
    this.#at = null;
    this.show();
    this.#points.focus(index);
    event.preventDefault();
  }

  #move(event: PointerEvent): void {
    const { x, y } = this.#place(event);
    if (this.#seeks) return this.#seek(x);
    if (!this.#drag) return;
    const { curve, index, dx, dy } = this.#drag;
    const view = this.#view;
    if (view.outside(x, y)) {
      this.#at = null;
      this.#selected = -1;
      return this.#write(without(curve, index), "move");
    }
    this.#selected = index;
    const time = view.time(x + dx);
    const value = view.value(y + dy);
    this.#at = event.altKey ? null : snapped(time, this.#targets, view.seconds(SNAP_PIXELS));
    const level = !event.altKey && Math.abs(view.y(value) - view.y(0)) < SNAP_PIXELS ? 0 : value;
    const next = movedPoint(curve, index, { time: this.#at?.time ?? time, value: level }, this.#duration);
    if (this.#at && next[index]?.time !== Math.round(1000 * this.#at.time) / 1000) this.#at = null;
    this.#write(next, "move");
  }

  #drop(): void {
    const dragged = this.#drag;
    this.#seeks = false;
    this.#drag = null;
    if (!dragged) return;
    this.#draft.release();
    this.show();
    if (this.#selected >= 0) this.#points.focus(this.#selected);
  }

  #seek(x: number): void {
    this.#api.seek(Math.min(Math.max(this.#view.time(x), 0), this.#duration));
  }

  #double(event: MouseEvent): void {
    if (!this.#api.take || !(event.target instanceof Element)) return;
    const { x, y } = this.#place(event);
    if (event.target.closest("[data-index]") || y < RULER) return;
    const time = this.#view.time(x);
    const at = event.altKey ? null : snapped(time, this.#targets, this.#view.seconds(SNAP_PIXELS));
    this.#addAt({ time: at?.time ?? time, value: this.#view.value(y) });
  }

  #addAt(point: CurvePoint): void {
    const time = Math.min(Math.max(point.time, 0), this.#duration);
    const made = added(this.#curve, { ...point, time });
    if (!made) return;
    this.#selected = made.index;
    this.#at = null;
    this.#write(made.curve, "add to");
    this.#points.focus(made.index);
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || !this.#api.take || !this.#pressed(event)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** What a key does; false if nothing. */
  #pressed(event: KeyboardEvent): boolean {
    const curve = this.#curve;
    const point = curve[this.#selected];
    if (event.key === "Escape" && this.#drag) {
      this.#write(this.#drag.before, "move");
      this.#selected = -1;
      this.#drop();
      return true;
    }
    if (event.key === "Enter") {
      this.#addAt(this.#onCurve(curve, this.#api.time));
      return true;
    }
    if (!point) return false;
    if (event.key === "Delete" || event.key === "Backspace") {
      const next = Math.min(this.#selected, curve.length - 2);
      this.#write(without(curve, this.#selected), "remove from");
      this.#select(next);
      if (next >= 0) this.#points.focus(next);
      else this.#svg.focus({ preventScroll: true });
      return true;
    }
    const step = stepped(event.key, event.shiftKey, point, this.#targets, 1 / (this.#api.take?.fps ?? 30));
    if (!step) return false;
    this.#at = step.at;
    this.#write(movedPoint(curve, this.#selected, step.point, this.#duration), "step");
    return true;
  }

  #wheel(event: WheelEvent): void {
    if (!this.#api.take) return;
    const across = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      this.#zoom(Math.exp(0.004 * event.deltaY), this.#view.time(this.#place(event).x));
    } else if (across !== 0) {
      event.preventDefault();
      this.#layout(moved(this.#view.span, this.#view.seconds(across), this.#duration));
    }
  }
}
