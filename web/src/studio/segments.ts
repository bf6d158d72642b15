import { element } from "../dom";
import type { MenuChoice } from "./messages";

let made = 0;

/** A few choices side by side, of which one holds. */
export class Segments {
  readonly root: HTMLElement;
  onChange: (name: string) => void = () => {};
  readonly #inputs = new Map<string, HTMLInputElement>();

  constructor(label: string, choices: readonly Pick<MenuChoice, "name" | "label">[]) {
    made += 1;
    this.root = element("div", { class: "choice-segments", role: "radiogroup", "aria-label": label });
    for (const choice of choices) {
      const input = element("input", { type: "radio", name: `segments-${made}`, value: choice.name });
      this.#inputs.set(choice.name, input);
      input.addEventListener("change", () => this.onChange(choice.name));
      this.root.append(element("label", {}, input, element("span", {}, choice.label)));
    }
    // Arrows choose here, and nothing else.
    this.root.addEventListener("keydown", (event) => {
      if (event.key.startsWith("Arrow")) event.stopPropagation();
    });
  }

  set value(name: string) {
    const input = this.#inputs.get(name);
    if (input) input.checked = true;
  }

  /** A dot at the choices that hold something. */
  mark(name: string, on: boolean): void {
    this.#inputs.get(name)?.parentElement?.classList.toggle("marked", on);
  }
}
