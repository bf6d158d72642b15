import { element } from "../dom";
import type { Panel } from "./api";

interface Tab {
  readonly name: string;
  readonly control: HTMLButtonElement;
  readonly panel: Panel;
}

/** Panels of which one is shown; arrow keys go from tab to tab. */
export class Tabs {
  readonly bar = element("div", { class: "tabs", role: "tablist", "aria-label": "Tools" });
  readonly body = element("div", { class: "tab-body" });
  readonly #tabs: Tab[] = [];
  #shown = "";

  get shown(): string {
    return this.#shown;
  }

  add(name: string, panel: Panel): void {
    const id = `tab-${name.toLowerCase()}`;
    const control = element("button", { type: "button", role: "tab", id, "aria-controls": `${id}-panel` }, name);
    control.addEventListener("click", (event) => {
      this.show(name);
      // Pressed with a pointer it gives the focus back, so that the space bar still plays.
      if (event.detail > 0) control.blur();
    });
    control.addEventListener("keydown", (event) => this.#step(event));
    panel.root.id = `${id}-panel`;
    panel.root.setAttribute("role", "tabpanel");
    panel.root.setAttribute("aria-labelledby", id);
    panel.root.hidden = true;
    this.#tabs.push({ name, control, panel });
    this.bar.append(control);
    this.body.append(panel.root);
    if (this.#tabs.length === 1) this.show(name);
    else this.#mark();
  }

  show(name: string): void {
    if (name === this.#shown) return;
    const before = this.#tabs.find((tab) => tab.name === this.#shown);
    const after = this.#tabs.find((tab) => tab.name === name);
    if (!after) return;
    this.#shown = name;
    if (before) {
      before.panel.root.hidden = true;
      before.panel.shown?.(false);
    }
    after.panel.root.hidden = false;
    this.#mark();
    this.body.scrollTop = 0;
    after.panel.shown?.(true);
  }

  #mark(): void {
    for (const { name, control } of this.#tabs) {
      control.setAttribute("aria-selected", String(name === this.#shown));
      control.tabIndex = name === this.#shown ? 0 : -1;
    }
  }

  #step(event: KeyboardEvent): void {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const at = this.#tabs.findIndex(({ name }) => name === this.#shown);
    const next = this.#tabs[(at + by + this.#tabs.length) % this.#tabs.length];
    if (!next) return;
    this.show(next.name);
    next.control.focus();
  }
}
