import { element } from "../dom";
import type { StudioApi } from "./api";
import type { DirectingDraft } from "./directing-draft";
import type { Directing } from "./messages";

/** A manner in words, with those that there are to choose from. */
export class MannerField {
  readonly root = element("div", { class: "manner" });
  readonly #draft: DirectingDraft;
  readonly #known: ReadonlySet<string>;
  readonly #input = element("input", {
    type: "text",
    id: "direct-manner",
    list: "direct-manners",
    placeholder: "such as slightly proudly",
    autocomplete: "off",
    spellcheck: "false",
    "aria-label": "Manner",
    "aria-describedby": "direct-manner-problem",
  });
  readonly #clear = element("button", { type: "button", class: "manner-clear", "aria-label": "Without a manner", title: "Without a manner" }, "\u00d7");
  readonly #problem = element("p", { class: "direct-problem", id: "direct-manner-problem", role: "alert" });
  #asked = "";

  constructor(api: StudioApi, draft: DirectingDraft) {
    this.#draft = draft;
    this.#known = new Set(api.welcome.manners);
    const list = element("datalist", { id: "direct-manners" });
    list.append(...api.welcome.manners.map((manner) => element("option", { value: manner })));
    this.root.append(element("div", { class: "manner-line" }, this.#input, this.#clear), list, this.#problem);
    // A word chosen from the list counts at once; typed ones when they are done.
    this.#input.addEventListener("input", (event) => {
      const typed = event instanceof InputEvent && event.inputType.startsWith("insertText");
      if (!typed && this.#known.has(this.#input.value.trim())) this.#use();
    });
    this.#input.addEventListener("change", () => this.#use());
    this.#input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.#use();
      if (event.key === "Escape") this.#input.value = this.#draft.shown.manner;
    });
    this.#clear.addEventListener("click", () => {
      this.#input.value = "";
      this.#use();
      this.#input.focus();
    });
    api.on("reply", (reply) => {
      if (reply.type === "request-failed" && reply.about === "direct" && this.#asked) this.#refused(reply.text);
      if (reply.type === "changed" && reply.document.directing.manner === this.#asked) this.#asked = "";
    });
  }

  show(directing: Directing): void {
    this.#clear.hidden = this.#input.value === "" && directing.manner === "";
    if (document.activeElement === this.#input || this.#problem.textContent) return;
    this.#input.value = directing.manner;
    this.#clear.hidden = directing.manner === "";
  }

  #use(): void {
    const manner = this.#input.value.trim();
    this.#problem.textContent = "";
    this.#input.removeAttribute("aria-invalid");
    if (manner === this.#draft.shown.manner) return;
    this.#asked = manner;
    this.#draft.change({ ...this.#draft.shown, manner }, "manner");
  }

  /** The words stay, so that they can be mended. */
  #refused(text: string): void {
    this.#asked = "";
    this.#problem.textContent = text;
    this.#input.setAttribute("aria-invalid", "true");
  }
}
