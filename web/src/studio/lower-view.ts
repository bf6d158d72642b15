import { button, element, press } from "../dom";

/** Narrower than this, curves stay in the panel. */
const WIDE = "(min-width: 1000px)";

/** What is below the stage: the timeline, or while directing the curves, which need the width too. */
export class LowerView {
  readonly root: HTMLElement;
  /** Chooses between the two; only there while directing. */
  readonly control: HTMLButtonElement;
  readonly #timeline: HTMLElement;
  readonly #wide = matchMedia(WIDE);
  #curves: HTMLElement | null = null;
  #slot: HTMLElement | null = null;
  #directing = false;
  #wanted = true;

  constructor(timeline: HTMLElement) {
    this.#timeline = timeline;
    this.root = element("div", { class: "lower" }, timeline);
    this.control = button({ label: "Curves instead of the timeline", text: "Curves" }, () => {
      this.#wanted = !this.#wanted;
      this.#arrange();
    });
    this.#wide.addEventListener("change", () => this.#arrange());
    this.#arrange();
  }

  /** The curves, which stand in their panel when they are not here. */
  set curves(curves: HTMLElement) {
    this.#curves = curves;
    this.#slot = curves.parentElement;
    this.#arrange();
  }

  set directing(directing: boolean) {
    this.#directing = directing;
    this.#arrange();
  }

  #arrange(): void {
    const possible = this.#directing && this.#wide.matches && this.#curves !== null;
    const here = possible && this.#wanted;
    this.control.hidden = !possible;
    press(this.control, here);
    this.#timeline.hidden = here;
    if (!this.#curves) return;
    if (here) this.root.append(this.#curves);
    else if (this.#curves.parentElement !== this.#slot) this.#slot?.prepend(this.#curves);
  }
}
