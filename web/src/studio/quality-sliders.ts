import { element } from "../dom";
import { withFactor } from "./directing-draft";
import type { DirectingDraft } from "./directing-draft";
import type { DirectSelection } from "./direct-selection";
import { FACTORS, applies, signed } from "./factors";
import type { Factor } from "./factors";
import type { Directing } from "./messages";
import { curveOf, hasCurve, valueAt } from "./phrase-curves";

/** Closer to the middle than this, a dragged slider is in the middle. */
const CATCH = 0.03;

/** A slider from one end of a factor to the other. */
class QualitySlider {
  readonly root = element("div", { class: "quality" });
  readonly #factor: Factor;
  readonly #draft: DirectingDraft;
  readonly #selection: DirectSelection;
  readonly #input: HTMLInputElement;
  readonly #value = element("output");
  readonly #curve = element("button", { type: "button", class: "quality-curve" }, "curve");
  #dragged = false;

  constructor(factor: Factor, draft: DirectingDraft, selection: DirectSelection) {
    this.#factor = factor;
    this.#draft = draft;
    this.#selection = selection;
    const id = `quality-${factor.name}`;
    const [low, high] = factor.ends;
    this.#input = element("input", { type: "range", id, min: "-1", max: "1", step: "0.01", class: "bipolar" });
    this.#value.setAttribute("for", id);
    this.#curve.title = `${factor.label} follows its curve; show it`;
    const name = element("label", { for: id }, factor.label, this.#value);
    const head = element("div", { class: "quality-head" });
    head.append(element("span", {}, low), element("div", {}, name, this.#curve), element("span", {}, high));
    this.root.append(head, this.#input);
    this.root.title = "Double-click resets it";
    this.#listen();
  }

  show(directing: Directing, time: number): void {
    const { parts } = this.#selection;
    this.root.hidden = !applies(this.#factor, parts);
    const curved = hasCurve(directing, parts, this.#factor.name);
    const values = parts.map((part) => valueOf(directing, part, this.#factor.name, time));
    const value = values[0] ?? 0;
    const differ = values.some((other) => Math.abs(other - value) > 0.005);
    if (Number(this.#input.value) !== value) this.#input.value = String(value);
    this.#input.disabled = curved;
    this.#curve.hidden = !curved;
    this.root.classList.toggle("changed", values.some((v) => v !== 0));
    const low = differ ? Math.min(...values, 0) : Math.min(value, 0);
    const high = differ ? Math.max(...values, 0) : Math.max(value, 0);
    this.#input.style.setProperty("--low", `${50 + 50 * low}%`);
    this.#input.style.setProperty("--high", `${50 + 50 * high}%`);
    const text = differ ? values.map((v) => signed(v)).join(" / ") : value === 0 && !curved ? "" : signed(value);
    if (this.#value.textContent !== text) this.#value.textContent = text;
    this.#input.setAttribute("aria-valuetext", spoken(value, this.#factor));
  }

  #listen(): void {
    const what = (): string => `${this.#factor.name} of ${this.#selection.choice}`;
    this.#input.addEventListener("pointerdown", () => {
      this.#dragged = true;
      this.#draft.hold(what());
      this.#selection.select(this.#selection.choice, this.#factor.name);
      const over = new AbortController();
      for (const name of ["pointerup", "pointercancel"]) {
        window.addEventListener(name, () => this.#drop(over), { signal: over.signal });
      }
    });
    this.#input.addEventListener("input", () => {
      const value = Number(this.#input.value);
      this.#set(this.#dragged && Math.abs(value) < CATCH ? 0 : value, what());
    });
    this.#input.addEventListener("keydown", (event) => {
      if (event.key.startsWith("Arrow")) event.stopPropagation();
    });
    this.root.addEventListener("dblclick", () => {
      if (!this.#input.disabled) this.#set(0, `reset ${what()}`);
    });
    this.#curve.addEventListener("click", () => this.#selection.select(this.#selection.choice, this.#factor.name));
  }

  #drop(over: AbortController): void {
    over.abort();
    this.#dragged = false;
    this.#draft.release();
  }

  #set(value: number, what: string): void {
    this.#draft.change(withFactor(this.#draft.shown, this.#selection.parts, this.#factor.name, value), what);
  }
}

/** The curve's value where a factor has points, else the slider's. */
function valueOf(directing: Directing, part: string, factor: string, time: number): number {
  return valueAt(curveOf(directing.phrase, part, factor), time) ?? directing.parts[part]?.[factor] ?? 0;
}

function spoken(value: number, factor: Factor): string {
  if (value === 0) return "neutral";
  return `${Math.round(100 * Math.abs(value))} percent ${factor.ends[value < 0 ? 0 : 1]}`;
}

/** Effort and Shape of the chosen part. */
export class QualitySliders {
  readonly root = element("div", { class: "qualities" });
  readonly #sliders: QualitySlider[];

  constructor(draft: DirectingDraft, selection: DirectSelection) {
    this.#sliders = FACTORS.map((factor) => new QualitySlider(factor, draft, selection));
    for (const [group, title] of [["effort", "Effort"], ["shape", "Shape"]] as const) {
      const set = element("div", { class: "quality-group", role: "group", "aria-label": title });
      set.append(element("h4", {}, title));
      FACTORS.forEach((factor, i) => {
        const slider = this.#sliders[i];
        if (factor.group === group && slider) set.append(slider.root);
      });
      this.root.append(set);
    }
  }

  show(directing: Directing, time: number): void {
    for (const slider of this.#sliders) slider.show(directing, time);
  }
}
