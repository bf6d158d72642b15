import { button, element } from "../dom";
import { icon } from "../icons";
import type { Panel, StudioApi } from "./api";
import { choose, field, fill, Slider } from "./fields";
import { openMarkupHelp } from "./markup-help";
import type { Document, Speaking, TakeReady } from "./messages";

const LANGUAGES = [
  { name: "auto", label: "Automatic", group: "" },
  { name: "en", label: "English", group: "" },
  { name: "de", label: "German", group: "" },
];
const EXAMPLE = "Good evening, everybody! I have to tell you about my new telephone. It is tiny.";

/** What is said, and by whom: a text becomes a take. */
export class SpeakPanel implements Panel {
  readonly root = element("div", { class: "panel speak" });
  readonly #api: StudioApi;
  readonly #text: HTMLTextAreaElement;
  readonly #count = element("small", { class: "count" });
  readonly #style = element("select");
  readonly #language = element("select");
  readonly #voice = element("select");
  readonly #stance = element("select");
  readonly #manner: HTMLInputElement;
  readonly #manners = element("datalist", { id: "manners" });
  readonly #seed: HTMLInputElement;
  readonly #tempo = new Slider("Tempo", 0.5, 2, 0.05, (v) => `${v.toFixed(2)}×`);
  readonly #amount = new Slider("Amount", 0, 1.5, 0.05, (v) => `${Math.round(100 * v)}%`);
  readonly #perform: HTMLButtonElement;
  readonly #state = element("p", { class: "hint", role: "status" });
  readonly #notes = element("ul", { class: "notes", "aria-label": "Notes on the take" });
  #shown: Speaking | null = null;

  constructor(api: StudioApi) {
    this.#api = api;
    this.#text = element("textarea", { rows: "4", spellcheck: "true", placeholder: EXAMPLE, "aria-label": "Text to perform" });
    this.#manner = element("input", { type: "text", list: "manners", placeholder: "as it is", autocomplete: "off" });
    this.#seed = element("input", { type: "number", min: "0", max: "999999", step: "1", class: "seed" });
    this.#perform = button({ label: "Perform", text: "Perform", key: "Ctrl Enter", className: "primary" }, () => this.perform());
    this.#build();
    this.#listen();
    this.#offer();
    this.#take(api.document);
    this.#describe(api.take);
  }

  perform(): void {
    const problem = this.#problem();
    if (problem) {
      this.#api.say(problem, "problem");
      this.#text.focus();
      return;
    }
    this.#api.send({ type: "perform", speaking: this.speaking() });
  }

  /** What is in the fields now. */
  speaking(): Speaking {
    return {
      ...this.#api.document.speaking,
      text: this.#text.value,
      style: this.#style.value,
      language: this.#language.value,
      voice: this.#voice.value,
      rate: this.#tempo.value,
      amount: this.#amount.value,
      seed: Math.max(0, Math.round(Number(this.#seed.value) || 0)),
      stance: this.#stance.value,
    };
  }

  #build(): void {
    const help = button({ label: "Markup help", text: "Markup", className: "link" }, () => openMarkupHelp(this.#api.welcome.markup, (tag) => this.#insert(tag)));
    const dice = button({ label: "Another performance", icon: icon("dice") }, () => {
      this.#seed.value = String(1 + Math.floor(Math.random() * 9999));
      this.perform();
    });
    const seedRow = field("Seed", this.#seed);
    this.#amount.root.title = "How much the speaker gestures";
    this.#stance.title = "How restless the speaker stands: weight, feet and trunk";
    seedRow.append(dice);
    seedRow.classList.add("with-button");
    this.root.append(
      element("div", { class: "text-box" }, this.#text, element("div", { class: "below" }, this.#count, help)),
      element("div", { class: "row" }, this.#perform, this.#state),
      element("div", { class: "pair" }, field("Style", this.#style), field("Manner", this.#manner)),
      element("div", { class: "pair" }, field("Language", this.#language), field("Voice", this.#voice)),
      element("div", { class: "pair" }, this.#tempo.root, this.#amount.root),
      element("div", { class: "pair" }, field("Stance", this.#stance), seedRow),
      this.#notes,
      this.#manners,
    );
  }

  #listen(): void {
    const api = this.#api;
    this.#text.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      this.perform();
    });
    this.root.addEventListener("input", () => this.#refresh());
    this.#manner.addEventListener("change", () => this.#direct());
    api.on("changed", ({ document }) => this.#take(document));
    api.on("take", () => this.#describe(api.take));
    api.on("job", () => this.#refresh());
    api.on("connected", () => this.#refresh());
    this.#manner.addEventListener("input", () => this.#manner.removeAttribute("aria-invalid"));
    api.on("reply", (reply) => {
      const { type } = reply;
      if (type === "request-failed" && reply.about === "direct" && this.#manner.value.trim() !== api.document.directing.manner) {
        this.#manner.setAttribute("aria-invalid", "true");
      }
      if (type !== "welcome" && type !== "learned") return;
      const before = new Set([...this.#style.options].map(({ value }) => value));
      this.#offer();
      const learned = api.welcome.styles.find(({ name }) => !before.has(name));
      if (type !== "learned" || !learned) return;
      this.#style.value = learned.name;
      this.#refresh();
      api.say(`The style ${learned.label} is chosen for the next performance.`);
    });
  }

  #direct(): void {
    const manner = this.#manner.value.trim();
    if (manner === this.#api.document.directing.manner) return;
    this.#api.send({ type: "direct", directing: { ...this.#api.document.directing, manner }, group: "manner" });
  }

  #offer(): void {
    const { styles, voices, manners, stances } = this.#api.welcome;
    fill(this.#style, styles);
    fill(this.#stance, stances);
    fill(this.#language, LANGUAGES);
    const best = { name: "", label: "Best available", group: "" };
    fill(this.#voice, voices.some(({ name }) => name === "") ? voices : [best, ...voices]);
    this.#manners.replaceChildren(...manners.map((name) => element("option", { value: name })));
    this.#refresh();
  }

  /** Show the document; what somebody types meanwhile is theirs unless the document's own has changed. */
  #take(document: Document): void {
    const { speaking, directing } = document;
    if (this.#manner !== window.document.activeElement) {
      this.#manner.value = directing.manner;
      this.#manner.removeAttribute("aria-invalid");
    }
    if (this.#shown && JSON.stringify(this.#shown) === JSON.stringify(speaking)) {
      this.#refresh();
      return;
    }
    const draft = this.#shown !== null && this.#text.value !== this.#shown.text;
    this.#shown = speaking;
    // A server that is started anew has no text for a moment: what is being written stays.
    if (this.#text.value !== speaking.text && !(draft && !speaking.text)) this.#text.value = speaking.text;
    choose(this.#style, speaking.style);
    choose(this.#language, speaking.language);
    choose(this.#voice, speaking.voice);
    choose(this.#stance, speaking.stance);
    this.#tempo.value = speaking.rate;
    this.#amount.value = speaking.amount;
    this.#seed.value = String(speaking.seed);
    this.#refresh();
  }

  #problem(): string {
    const length = this.#text.value.length;
    const most = this.#api.welcome.longest_text;
    if (!this.#text.value.trim()) return "Type what the character should say first.";
    return length > most ? `The text has ${length} characters; ${most} are allowed.` : "";
  }

  #refresh(): void {
    const { longest_text: most } = this.#api.welcome;
    const length = this.#text.value.length;
    this.#count.textContent = `${length.toLocaleString("en")} of ${most.toLocaleString("en")} characters`;
    this.#count.classList.toggle("over", length > most);
    this.#perform.disabled = !this.#api.connected || Boolean(this.#problem());
    this.#state.textContent = this.#hint();
  }

  #hint(): string {
    if (!this.#api.connected) return "Not connected";
    if (!this.#text.value.trim()) return "Type a text, then Ctrl+Enter";
    const { source, speaking, sound } = this.#api.document;
    if (source === "text" && sound) return "Spoken by the recording (see Material)";
    const { model: _ours, ...now } = this.speaking();
    const { model: _theirs, ...then } = speaking;
    if (source === "text" && JSON.stringify(now) !== JSON.stringify(then)) return "Changed since the last take";
    return "";
  }

  #describe(take: TakeReady | null): void {
    this.#notes.replaceChildren(...(take?.notes ?? []).map((note) => element("li", {}, note)));
    this.#notes.hidden = !take?.notes.length;
  }

  /** Put a mark around what is chosen, or its example at the cursor with the words chosen to be typed over. */
  #insert(tag: string): void {
    const { selectionStart: from, selectionEnd: to, value } = this.#text;
    const chosen = value.slice(from, to);
    const example = /these words|word/.exec(tag);
    const mark = example && chosen ? tag.replace(example[0], () => chosen) : tag;
    this.#text.setRangeText(mark, from, to, "end");
    this.#text.dispatchEvent(new Event("input", { bubbles: true }));
    this.#text.focus();
    if (!example || chosen) return;
    this.#text.setSelectionRange(from + example.index, from + example.index + example[0].length);
  }
}
