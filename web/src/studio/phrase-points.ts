import { signed } from "./factors";
import type { Factor } from "./factors";
import type { Curve } from "./phrase-curves";
import type { PhraseView } from "./phrase-view";
import { set, svg } from "./svg";

/** The points of the active curve. Their elements stay while they move, so that the focus does too. */
export class PhrasePoints {
  readonly root = svg("g", { class: "phrase-points" });
  onFocus: (index: number) => void = () => {};
  readonly #made: SVGGElement[] = [];

  show(curve: Curve, factor: Factor, view: PhraseView, selected: number): void {
    while (this.#made.length < curve.length) this.#add();
    while (this.#made.length > curve.length) this.#made.pop()?.remove();
    set(this.root, { class: `phrase-points factor-${factor.name}` });
    curve.forEach((point, i) => {
      const made = this.#made[i];
      if (!made) return;
      set(made, {
        transform: `translate(${view.x(point.time).toFixed(1)} ${view.y(point.value).toFixed(1)})`,
        class: i === selected ? "phrase-point selected" : "phrase-point",
        "aria-label": `${factor.label}, point ${i + 1} of ${curve.length}`,
        "aria-valuenow": point.value,
        "aria-valuetext": `${signed(point.value)} at ${point.time.toFixed(2)} seconds`,
      });
    });
  }

  focus(index: number): void {
    this.#made[index]?.focus({ preventScroll: true });
  }

  #add(): void {
    const index = this.#made.length;
    const made = svg("g", {
      tabindex: 0, role: "slider", "aria-valuemin": -1, "aria-valuemax": 1, "data-index": index,
    });
    made.append(svg("circle", { class: "reach", r: 11 }), svg("circle", { class: "ring", r: 8 }), svg("circle", { class: "core", r: 4.5 }));
    made.addEventListener("focus", () => this.onFocus(index));
    this.#made.push(made);
    this.root.append(made);
  }
}
