import { element } from "../dom";
import { sentence } from "./fields";
import type { LexemeChoice } from "./messages";

/** Lexemes that a person's words fit, by name, kind or meaning; grouped by kind. */
export function matching(lexemes: readonly LexemeChoice[], words: string): Map<string, LexemeChoice[]> {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const groups = new Map<string, LexemeChoice[]>();
  for (const lexeme of lexemes) {
    const text = `${lexeme.name} ${lexeme.kind} ${lexeme.meaning}`.toLowerCase();
    if (!wanted.every((word) => text.includes(word))) continue;
    groups.set(lexeme.kind, [...(groups.get(lexeme.kind) ?? []), lexeme]);
  }
  return groups;
}

/** All gestures of the lexicon, found by typing. */
export class LexemeList {
  readonly root = element("div", { class: "lexemes" });
  readonly #search = element("input", { type: "search", placeholder: "Find a gesture", "aria-label": "Find a gesture" });
  readonly #list = element("div", { class: "options", role: "listbox", tabindex: "0", "aria-label": "Gestures of the lexicon" });
  readonly #pick: (name: string) => void;
  #lexemes: readonly LexemeChoice[] = [];
  #chosen = "";

  constructor(pick: (name: string) => void) {
    this.#pick = pick;
    this.root.append(this.#search, this.#list);
    this.#search.addEventListener("input", () => this.#draw());
    this.#search.addEventListener("keydown", (event) => {
      const first = this.#list.querySelector<HTMLElement>("[role=option]");
      if (event.key === "Enter" && first?.dataset["name"]) this.#choose(first.dataset["name"]);
      if (event.key === "ArrowDown") this.#list.focus();
    });
    this.#list.addEventListener("click", (event) => {
      const name = (event.target as Element).closest<HTMLElement>("[role=option]")?.dataset["name"];
      if (name) this.#choose(name);
    });
    this.#list.addEventListener("keydown", (event) => this.#step(event));
  }

  show(lexemes: readonly LexemeChoice[], chosen: string): void {
    const same = lexemes === this.#lexemes && chosen === this.#chosen;
    if (same) return;
    this.#lexemes = lexemes;
    this.#chosen = chosen;
    this.#draw();
    this.#reveal();
  }

  #choose(name: string): void {
    if (name !== this.#chosen) this.#pick(name);
  }

  #draw(): void {
    this.#list.replaceChildren();
    const groups = matching(this.#lexemes, this.#search.value);
    if (groups.size === 0) this.#list.append(element("p", { class: "hint" }, "No gesture matches these words."));
    for (const [kind, lexemes] of groups) {
      const group = element("div", { role: "group", "aria-label": sentence(kind) }, element("h3", {}, sentence(kind)));
      for (const { name, meaning } of lexemes) {
        const option = element("div", { role: "option", id: `lexeme-${name}`, "aria-selected": String(name === this.#chosen) });
        option.dataset["name"] = name;
        option.append(element("b", {}, name), element("span", {}, meaning));
        group.append(option);
      }
      this.#list.append(group);
    }
    this.#list.setAttribute("aria-activedescendant", `lexeme-${this.#chosen}`);
  }

  #reveal(): void {
    const option = this.#list.querySelector<HTMLElement>("[aria-selected=true]");
    if (option) this.#list.scrollTop = option.offsetTop - this.#list.clientHeight / 2;
  }

  #step(event: KeyboardEvent): void {
    const by = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (!by) return;
    event.preventDefault();
    const names = [...this.#list.querySelectorAll<HTMLElement>("[role=option]")].map((o) => o.dataset["name"] ?? "");
    const next = names[Math.min(Math.max(names.indexOf(this.#chosen) + by, 0), names.length - 1)];
    if (next) this.#choose(next);
  }
}
