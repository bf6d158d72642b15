import { button, element, press } from "../dom";
import { icon } from "../icons";
import type { DirectingDraft } from "./directing-draft";
import type { DirectSelection } from "./direct-selection";
import { FACTORS, applies } from "./factors";
import type { Directing, MenuChoice } from "./messages";
import { hasCurve, withCurve } from "./phrase-curves";

/** Above the curves: whose they are, which one is worked on, and how much of the time is shown. */
export class PhraseLegend {
  readonly root = element("div", { class: "phrase-legend" });
  onZoom: (factor: number) => void = () => {};
  readonly #draft: DirectingDraft;
  readonly #selection: DirectSelection;
  readonly #part = element("select", { class: "phrase-part", "aria-label": "Part of the body" });
  readonly #chips = new Map<string, HTMLButtonElement>();
  readonly #clear: HTMLButtonElement;
  readonly #clearAll: HTMLButtonElement;

  constructor(parts: readonly MenuChoice[], draft: DirectingDraft, selection: DirectSelection) {
    this.#draft = draft;
    this.#selection = selection;
    for (const part of parts) this.#part.append(element("option", { value: part.name }, part.label));
    this.#part.addEventListener("change", () => selection.select(this.#part.value));
    const chips = element("div", { class: "phrase-chips", role: "group", "aria-label": "Factor" });
    for (const factor of FACTORS) {
      const chip = element("button", { type: "button", class: "phrase-chip", title: `${factor.ends[0]} to ${factor.ends[1]}` });
      chip.append(element("i", { class: `factor-dot factor-${factor.name}` }), factor.label);
      chip.addEventListener("click", () => selection.select(selection.choice, factor.name));
      this.#chips.set(factor.name, chip);
      chips.append(chip);
    }
    this.#clear = button({ label: "Remove the points of this curve", text: "Clear" }, () => this.#clearCurve());
    this.#clearAll = button({ label: "Remove all curves of all parts", text: "Clear all" }, () => this.#clearCurves());
    const zoom = element("div", { class: "phrase-zoom" });
    zoom.append(
      button({ label: "Zoom out", icon: icon("wider") }, () => this.onZoom(2)),
      button({ label: "Zoom in", icon: icon("closer") }, () => this.onZoom(0.5)),
    );
    const acts = element("div", { class: "phrase-acts" }, this.#clear, this.#clearAll, zoom);
    this.root.append(this.#part, chips, acts);
  }

  show(directing: Directing): void {
    const { parts, factor, choice } = this.#selection;
    this.#part.value = choice;
    for (const each of FACTORS) {
      const chip = this.#chips.get(each.name);
      if (!chip) continue;
      press(chip, each === factor);
      chip.classList.toggle("curved", hasCurve(directing, parts, each.name));
      chip.disabled = !applies(each, parts);
    }
    this.#clear.disabled = !hasCurve(directing, parts, factor.name);
    this.#clearAll.disabled = directing.phrase.length === 0;
  }

  #clearCurve(): void {
    const { parts, factor } = this.#selection;
    const { shown } = this.#draft;
    this.#draft.change({ ...shown, phrase: withCurve(shown.phrase, parts, factor.name, []) }, `clear ${factor.name}`);
  }

  #clearCurves(): void {
    this.#draft.change({ ...this.#draft.shown, phrase: [] }, "clear all curves");
  }
}
