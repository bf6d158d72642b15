import { button, element, press } from "../dom";
import type { ViewName } from "../framing";
import { VIEWS } from "../framing";
import { icon } from "../icons";
import type { ThemeName } from "../theme";
import type { Panel } from "./api";
import type { ConnectionState } from "./connection";
import { sentence } from "./fields";
import type { Changed } from "./messages";
import { Tabs } from "./tabs";

export interface ShellActs {
  undo(): void;
  redo(): void;
  theme(): void;
  help(): void;
  retry(): void;
  view(name: ViewName): void;
  split(): void;
}

const VIEW_NAMES = Object.keys(VIEWS) as ViewName[];

/** The frame of the page: header, side panel, stage with what lies on it, and what is below. */
export class Shell {
  readonly stage = element("main", { class: "stage", "aria-label": "Stage" });
  readonly canvas = element("canvas", { role: "img", "aria-label": "The character. Drag to turn, wheel or pinch to zoom." });
  readonly bottom = element("div", { class: "bottom" });
  readonly tabs = new Tabs();
  readonly #acts: ShellActs;
  readonly #title = element("h1");
  readonly #undo: HTMLButtonElement;
  readonly #redo: HTMLButtonElement;
  readonly #theme: HTMLButtonElement;
  readonly #split: HTMLButtonElement;
  readonly #views = new Map<ViewName, HTMLButtonElement>();
  readonly #notice = element("div", { class: "notice", role: "status" });
  readonly #empty = element("div", { class: "stage-empty" });
  readonly #labels = element("div", { class: "ab-labels", "aria-hidden": "true" }, element("span", {}, "Take"), element("span", {}, "Plain"));
  readonly #side = element("aside", { class: "side", id: "side", "aria-label": "Tools" });
  readonly #drawer: HTMLButtonElement;
  readonly #root: HTMLElement;

  constructor(root: HTMLElement, acts: ShellActs) {
    this.#root = root;
    this.#acts = acts;
    root.classList.add("studio");
    this.#undo = button({ label: "Undo", icon: icon("undo"), key: "Ctrl Z" }, acts.undo);
    this.#redo = button({ label: "Redo", icon: icon("redo"), key: "Ctrl Shift Z" }, acts.redo);
    this.#theme = button({ label: "Light or dark", icon: icon("dark"), key: "T" }, acts.theme);
    this.#split = button({ label: "Compare with the plain take", text: "A/B", icon: icon("split"), key: "B" }, acts.split);
    this.#drawer = button({ label: "Tools", icon: icon("menu"), className: "drawer-button" }, () => this.#toggleDrawer());
    this.#drawer.setAttribute("aria-controls", "side");
    this.#labels.hidden = true;
    this.#undo.disabled = this.#redo.disabled = true;
    press(this.#split, false);
    this.#side.append(this.tabs.bar, this.tabs.body);
    this.stage.append(this.canvas, this.#labels, this.#empty, this.#notice, this.#viewButtons());
    const body = element("div", { class: "body" }, this.#side, element("div", { class: "shade" }), this.stage);
    body.querySelector(".shade")?.addEventListener("click", () => this.#toggleDrawer());
    this.#side.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.closeDrawer();
    });
    root.replaceChildren(this.#header(), body, this.bottom);
    this.showState("connecting");
  }

  add(name: string, panel: Panel): void {
    this.tabs.add(name, panel);
  }

  showChanged(changed: Changed): void {
    const { title } = changed.document;
    this.#title.textContent = title && title !== "untitled" ? title : "Untitled";
    document.title = `${this.#title.textContent} · Kinesphere`;
    this.#undo.disabled = !changed.can_undo;
    this.#redo.disabled = !changed.can_redo;
    this.#undo.title = changed.undo_label ? `Undo: ${changed.undo_label} (Ctrl Z)` : "Undo (Ctrl Z)";
    this.#redo.title = changed.redo_label ? `Redo: ${changed.redo_label} (Ctrl Shift Z)` : "Redo (Ctrl Shift Z)";
  }

  showState(state: ConnectionState): void {
    this.#root.dataset["state"] = state;
    this.#notice.replaceChildren();
    if (state === "open") return;
    const text = state === "connecting" ? "Connecting to the studio…" : "The connection to the studio is lost. Trying again…";
    this.#notice.append(element("i", { class: "lamp" }), element("span", {}, text));
    if (state === "lost") this.#notice.append(button({ label: "Try now", text: "Try now" }, this.#acts.retry));
  }

  showTheme(theme: ThemeName): void {
    this.#theme.replaceChildren(icon(theme === "dark" ? "light" : "dark"));
  }

  showView(view: ViewName | null): void {
    for (const [name, control] of this.#views) press(control, name === view);
  }

  showSplit(on: boolean): void {
    press(this.#split, on);
    this.#labels.hidden = !on;
  }

  /** Something to say where the figure has nothing to do yet; null for nothing. */
  showEmpty(title: string | null, text = ""): void {
    this.#empty.hidden = title === null;
    this.#empty.replaceChildren(...(title === null ? [] : [element("h2", {}, title), element("p", {}, text)]));
  }

  closeDrawer(): void {
    if (this.#root.classList.contains("drawer-open")) this.#toggleDrawer();
  }

  #header(): HTMLElement {
    const brand = element("span", { class: "brand" }, "Kinesphere");
    return element(
      "header",
      { class: "bar" },
      this.#drawer,
      brand,
      this.#title,
      element("div", { class: "segments" }, this.#undo, this.#redo),
      element("div", { class: "segments" }, this.#theme, button({ label: "Keyboard", icon: icon("help"), key: "?" }, this.#acts.help)),
    );
  }

  #viewButtons(): HTMLElement {
    const root = element("div", { class: "view-buttons", role: "group", "aria-label": "View" });
    VIEW_NAMES.forEach((name, i) => {
      const control = button({ label: `View: ${name}`, text: sentence(name), key: String(i + 1) }, () => this.#acts.view(name));
      this.#views.set(name, control);
      root.append(control);
    });
    root.append(this.#split);
    return root;
  }

  #toggleDrawer(): void {
    const open = this.#root.classList.toggle("drawer-open");
    this.#drawer.setAttribute("aria-expanded", String(open));
  }
}
