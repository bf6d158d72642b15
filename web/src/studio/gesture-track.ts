import { element } from "../dom";
import { type Span, timeAt, xOf } from "../timeline-layout";
import { handsText } from "./fields";
import { movedTo, placed, type Placed, snapped, stretchedTo, type Timing } from "./gesture-layout";
import type { DocumentGesture } from "./messages";

export const LANE = 26;
const SNAP_PIXELS = 7;
/** A press that moves less than this is a click. */
const CLICK_PIXELS = 4;

export interface GestureActs {
  choose(id: number | null): void;
  /** A drag has ended. */
  retime(id: number, timing: Timing): void;
  /** Double click on an empty place. */
  add(time: number): void;
}

interface Drag {
  readonly pointer: number;
  readonly block: Placed;
  readonly edge: boolean;
  readonly fromX: number;
  moved: boolean;
  timing: Timing;
}

/** Gestures as blocks: chosen by a click, dragged in time, their stroke stretched at the right edge. */
export class GestureTrack {
  readonly root = element("div", { class: "gestures", role: "group", "aria-label": "Gestures" });
  readonly #acts: GestureActs;
  readonly #ghost = element("div", { class: "ghost" });
  readonly #buttons = new Map<number, HTMLButtonElement>();
  #blocks: readonly Placed[] = [];
  #snaps: readonly number[] = [];
  #chosen: number | null = null;
  #span: Span = { start: 0, end: 1 };
  #gutter = 0;
  #width = 1;
  #duration = 0;
  #drag: Drag | null = null;

  constructor(acts: GestureActs) {
    this.#acts = acts;
    this.#ghost.hidden = true;
    this.root.append(this.#ghost);
    this.root.addEventListener("dblclick", (event) => {
      if (event.target === this.root) acts.add(this.#timeOf(event));
    });
  }

  get chosen(): number | null {
    return this.#chosen;
  }

  set chosen(id: number | null) {
    this.#chosen = id;
    for (const [other, made] of this.#buttons) made.setAttribute("aria-pressed", String(other === id));
  }

  /** Put the focus on a gesture's block. */
  focus(id: number): void {
    this.#buttons.get(id)?.focus();
  }

  show(gestures: readonly DocumentGesture[], snaps: readonly number[], duration: number): void {
    const { blocks, lanes } = placed(gestures);
    this.#blocks = blocks;
    this.#snaps = snaps;
    this.#duration = duration;
    this.root.style.height = `${lanes * LANE + 4}px`;
    const ids = new Set(blocks.map(({ id }) => id));
    for (const [id, made] of this.#buttons) {
      if (ids.has(id)) continue;
      made.remove();
      this.#buttons.delete(id);
    }
    for (const block of blocks) this.#describe(this.#buttons.get(block.id) ?? this.#make(block.id), block);
    this.chosen = this.#chosen !== null && ids.has(this.#chosen) ? this.#chosen : null;
    this.#place();
  }

  look(span: Span, gutter: number, width: number): void {
    this.#span = span;
    this.#gutter = gutter;
    this.#width = width;
    this.#place();
  }

  #make(id: number): HTMLButtonElement {
    const made = element("button", { type: "button", class: "gesture" });
    made.append(element("i", { class: "stroke" }), element("span"), element("i", { class: "edge" }));
    made.addEventListener("pointerdown", (event) => this.#press(event, id));
    made.addEventListener("pointermove", (event) => this.#pull(event));
    made.addEventListener("pointerup", (event) => this.#release(event));
    made.addEventListener("pointercancel", () => this.#end());
    made.addEventListener("click", (event) => {
      if (event.detail === 0) this.#acts.choose(id);
    });
    this.#buttons.set(id, made);
    this.root.append(made);
    return made;
  }

  #describe(made: HTMLButtonElement, { gesture }: Placed): void {
    const said = gesture.words ? `, at “${gesture.words}”` : "";
    const text = `${gesture.lexeme}, ${handsText(gesture.hands).toLowerCase()} ${gesture.hands === "2H" ? "hands" : "hand"}${said}, stroke ends at ${gesture.time_s.toFixed(2)} s`;
    made.title = gesture.reason ? `${text}\n${gesture.reason}` : text;
    made.setAttribute("aria-label", `Gesture ${text}`);
    made.dataset["gesture"] = String(gesture.id);
    made.dataset["hands"] = gesture.hands;
    made.classList.toggle("pinned", gesture.pinned);
    const name = made.querySelector("span");
    if (name) name.textContent = gesture.lexeme;
  }

  #place(): void {
    const scale = this.#width / (this.#span.end - this.#span.start);
    for (const block of this.#blocks) {
      const made = this.#buttons.get(block.id);
      if (!made) continue;
      const x = xOf(block.start, this.#span, this.#width);
      const width = Math.max((block.end - block.start) * scale, 10);
      made.hidden = x + width < 0 || x > this.#width;
      const left = Math.max(x, 0);
      made.style.transform = `translate(${this.#gutter + left}px, ${2 + block.lane * LANE}px)`;
      made.style.width = `${Math.min(x + width, this.#width) - left}px`;
      // The name stands in the hold, or in the stroke where that has more room.
      const stroke = Math.max(xOf(block.strokeEnd, this.#span, this.#width) - left, 0);
      const inside = stroke >= Math.min(x + width, this.#width) - left - stroke;
      made.style.setProperty("--stroke", `${Math.max(stroke, 3)}px`);
      made.classList.toggle("in-stroke", inside);
    }
  }

  #timeOf(event: MouseEvent): number {
    const x = event.clientX - this.root.getBoundingClientRect().left - this.#gutter;
    return Math.min(Math.max(timeAt(x, this.#span, this.#width), 0), this.#duration);
  }

  #press(event: PointerEvent, id: number): void {
    const block = this.#blocks.find((b) => b.id === id);
    if (!block || event.button !== 0) return;
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
    const edge = (event.target as Element).classList.contains("edge");
    const { time_s, stroke_s } = block.gesture;
    this.#drag = { pointer: event.pointerId, block, edge, fromX: event.clientX, moved: false, timing: { time_s, stroke_s } };
  }

  #pull(event: PointerEvent): void {
    const drag = this.#drag;
    if (!drag || drag.pointer !== event.pointerId) return;
    const by = event.clientX - drag.fromX;
    if (!drag.moved && Math.abs(by) < CLICK_PIXELS) return;
    drag.moved = true;
    const second = this.#width / (this.#span.end - this.#span.start);
    const wanted = snapped(drag.block.gesture.time_s + by / second, this.#snaps, SNAP_PIXELS / second);
    drag.timing = (drag.edge ? stretchedTo : movedTo)(drag.block.gesture, wanted, this.#duration);
    this.#showGhost(drag);
  }

  #showGhost({ block, timing }: Drag): void {
    const scale = this.#width / (this.#span.end - this.#span.start);
    const start = timing.time_s - timing.stroke_s;
    this.#ghost.hidden = false;
    this.#ghost.style.transform = `translate(${this.#gutter + xOf(start, this.#span, this.#width)}px, ${2 + block.lane * LANE}px)`;
    this.#ghost.style.width = `${(timing.stroke_s + block.gesture.hold_s) * scale}px`;
    this.#ghost.style.setProperty("--end", `${timing.stroke_s * scale}px`);
    this.#ghost.classList.toggle("snapped", this.#snaps.some((s) => Math.abs(s - timing.time_s) < 1e-3));
    this.#ghost.textContent = `${timing.time_s.toFixed(2)} s`;
  }

  #release(event: PointerEvent): void {
    const drag = this.#drag;
    if (!drag || drag.pointer !== event.pointerId) return;
    this.#end();
    if (drag.moved) this.#acts.retime(drag.block.id, drag.timing);
    else this.#acts.choose(drag.block.id);
  }

  #end(): void {
    this.#drag = null;
    this.#ghost.hidden = true;
  }
}
