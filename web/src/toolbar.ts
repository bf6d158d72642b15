import { button, element, press } from "./dom";
import type { ViewName } from "./framing";
import { icon } from "./icons";
import type { PathMode } from "./path-samples";
import type { ThemeName } from "./theme";

export interface ToolbarActs {
  view(name: ViewName): void;
  paths(mode: PathMode): void;
  overlay(on: boolean): void;
  follow(on: boolean): void;
  theme(): void;
}

export interface ToolbarParts {
  readonly title: string;
  readonly several: boolean;
  readonly travels: boolean;
  readonly follow: boolean;
  readonly hands: boolean;
}

const NAMES: readonly (readonly [ViewName, string, string])[] = [
  ["angle", "3/4", "1"],
  ["front", "Front", "2"],
  ["side", "Side", "3"],
  ["top", "Top", "4"],
];
const NEXT: Readonly<Record<PathMode, PathMode>> = { off: "around", around: "whole", whole: "off" };
const PATH_TEXT: Readonly<Record<PathMode, string>> = {
  off: "Paths",
  around: "Paths: now",
  whole: "Paths: all",
};

/** Above the stage: the title, and how to look at it. */
export class Toolbar {
  readonly root: HTMLElement;
  readonly #acts: ToolbarActs;
  readonly #views = new Map<ViewName, HTMLButtonElement>();
  readonly #paths: HTMLButtonElement;
  readonly #theme: HTMLButtonElement;
  #pathMode: PathMode = "off";

  constructor(parts: ToolbarParts, acts: ToolbarActs) {
    this.#acts = acts;
    this.#paths = button({ label: "Paths of the hands", key: "P", text: PATH_TEXT.off }, () =>
      this.nextPaths(),
    );
    this.#paths.prepend(icon("path"));
    this.#theme = button({ label: "Light or dark", icon: icon("dark"), key: "T" }, acts.theme);
    this.root = element(
      "header",
      { class: "toolbar" },
      element("h1", { title: parts.title }, parts.title),
      this.#viewButtons(),
      ...this.#extras(parts),
      this.#theme,
    );
    this.#showPaths();
  }

  showView(shown: ViewName | null): void {
    for (const [name, control] of this.#views) press(control, name === shown);
  }

  showTheme(theme: ThemeName): void {
    this.#theme.replaceChildren(icon(theme === "dark" ? "light" : "dark"));
  }

  nextPaths(): void {
    this.#pathMode = NEXT[this.#pathMode];
    this.#showPaths();
    this.#acts.paths(this.#pathMode);
  }

  #viewButtons(): HTMLElement {
    const group = element("div", { class: "segments", role: "group", "aria-label": "View" });
    for (const [name, text, key] of NAMES) {
      const control = button({ label: `View: ${text}`, text, key }, () => this.#acts.view(name));
      this.#views.set(name, control);
      group.append(control);
    }
    return group;
  }

  #extras(parts: ToolbarParts): HTMLElement[] {
    const found: HTMLElement[] = [];
    if (parts.hands) found.push(this.#paths);
    if (parts.travels) found.push(toggle("Follow", "Keep the figure in view", parts.follow, this.#acts.follow));
    if (parts.several) found.push(toggle("Overlay", "All at the same position", false, this.#acts.overlay));
    return found;
  }

  #showPaths(): void {
    const text = PATH_TEXT[this.#pathMode];
    this.#paths.replaceChildren(icon("path"), text);
    press(this.#paths, this.#pathMode !== "off");
  }
}

function toggle(text: string, label: string, on: boolean, act: (on: boolean) => void): HTMLElement {
  const made = button({ label, text }, () => {
    const now = made.getAttribute("aria-pressed") !== "true";
    press(made, now);
    act(now);
  });
  press(made, on);
  return made;
}
