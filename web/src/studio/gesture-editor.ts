import { button, element } from "../dom";
import { icon } from "../icons";
import type { StudioApi } from "./api";
import { field, handsText } from "./fields";
import { neighbour } from "./gesture-layout";
import { LexemeList } from "./lexeme-list";
import type { DocumentGesture, EditGesture } from "./messages";
import { PlaceField } from "./place-field";

export interface EditorActs {
  choose(id: number | null): void;
}

/** What cannot be changed of gestures in a take that was made of a voice alone. */
export const OWN_FORM = "This take has a voice and no text: stroke length and hand positions come from the speaker's profile.";

type Changes = Omit<EditGesture, "type" | "id">;

/** A card beside the figure: everything about one gesture. */
export class GestureEditor {
  readonly root = element("section", { class: "card editor", "aria-label": "Gesture" });
  readonly #api: StudioApi;
  readonly #acts: EditorActs;
  readonly #title = element("h2");
  readonly #words = element("p", { class: "said" });
  readonly #reason = element("p", { class: "hint" });
  readonly #lexemes: LexemeList;
  readonly #hands = element("select");
  readonly #time = seconds("0");
  readonly #stroke = seconds("0.06");
  readonly #hold = seconds("0");
  readonly #start: PlaceField;
  readonly #end: PlaceField;
  #gesture: DocumentGesture | null = null;

  constructor(api: StudioApi, acts: EditorActs) {
    this.#api = api;
    this.#acts = acts;
    this.#lexemes = new LexemeList((lexeme) => this.#edit({ lexeme, ...this.#handsFor(lexeme) }));
    this.#start = new PlaceField("Begins at", (start) => this.#edit({ start }));
    this.#end = new PlaceField("Ends at", (end) => this.#edit({ end }));
    this.#build();
    this.show(null);
  }

  get gesture(): DocumentGesture | null {
    return this.#gesture;
  }

  show(gesture: DocumentGesture | null): void {
    this.#gesture = gesture;
    this.root.hidden = !gesture;
    if (!gesture) return;
    const { lexemes, places } = this.#api.welcome;
    this.#title.textContent = gesture.lexeme;
    this.#words.textContent = gesture.words ? `“${gesture.words}”` : "";
    const own = this.#api.document.source === "voice";
    this.#reason.textContent = own ? `${gesture.reason}. ${OWN_FORM}` : gesture.reason;
    for (const control of [this.#stroke, this.#hold]) control.disabled = own;
    for (const place of [this.#start, this.#end]) place.root.hidden = own;
    this.#lexemes.show(lexemes, gesture.lexeme);
    this.#showHands(gesture);
    this.#showTimes(gesture);
    this.#start.show(places, gesture.start);
    this.#end.show(places, gesture.end);
  }

  #build(): void {
    const previous = button({ label: "Previous gesture", icon: icon("back") }, () => this.#go(-1));
    const next = button({ label: "Next gesture", icon: icon("forward") }, () => this.#go(1));
    const close = button({ label: "Close", icon: icon("close"), key: "Esc" }, () => this.#acts.choose(null));
    const remove = button({ label: "Delete this gesture", icon: icon("remove"), key: "Delete", className: "danger" }, () => {
      if (this.#gesture) this.#api.send({ type: "delete-gesture", id: this.#gesture.id });
    });
    const doing = element("div", { class: "pair four" }, field("Hands", this.#hands), field("Ends at (s)", this.#time), field("Stroke (s)", this.#stroke), field("Hold (s)", this.#hold));
    this.root.append(
      element("header", {}, this.#title, previous, next, remove, close),
      element("div", { class: "why" }, this.#words, this.#reason),
      this.#lexemes.root,
      doing,
      this.#start.root,
      this.#end.root,
    );
    this.#hands.addEventListener("change", () => this.#edit({ hands: this.#hands.value }));
    // What was made of a number, where that is another.
    this.root.addEventListener("focusout", () => this.#gesture && this.#showTimes(this.#gesture));
    this.#time.addEventListener("change", () => this.#number(this.#time, "time_s"));
    this.#stroke.addEventListener("change", () => this.#number(this.#stroke, "stroke_s"));
    this.#hold.addEventListener("change", () => this.#number(this.#hold, "hold_s"));
    this.root.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.#acts.choose(null);
    });
  }

  #showTimes(gesture: DocumentGesture): void {
    put(this.#time, gesture.time_s);
    put(this.#stroke, gesture.stroke_s);
    put(this.#hold, gesture.hold_s);
  }

  #showHands(gesture: DocumentGesture): void {
    const allowed = this.#api.welcome.lexemes.find(({ name }) => name === gesture.lexeme)?.hands ?? [];
    const hands = allowed.includes(gesture.hands) ? allowed : [...allowed, gesture.hands];
    this.#hands.replaceChildren(...hands.map((name) => element("option", { value: name }, handsText(name))));
    this.#hands.value = gesture.hands;
    this.#hands.disabled = hands.length < 2;
  }

  /** Hands that another lexeme can be done with: the same if it can. */
  #handsFor(lexeme: string): { hands?: string } {
    const allowed = this.#api.welcome.lexemes.find(({ name }) => name === lexeme)?.hands ?? [];
    const first = allowed[0];
    return !first || !this.#gesture || allowed.includes(this.#gesture.hands) ? {} : { hands: first };
  }

  #number(input: HTMLInputElement, name: "time_s" | "stroke_s" | "hold_s"): void {
    if (Number.isFinite(input.valueAsNumber) && input.checkValidity()) this.#edit({ [name]: input.valueAsNumber });
    else if (this.#gesture) put(input, this.#gesture[name]);
  }

  #edit(changes: Changes): void {
    if (this.#gesture) this.#api.send({ type: "edit-gesture", id: this.#gesture.id, ...changes });
  }

  #go(by: 1 | -1): void {
    const found = this.#gesture && neighbour(this.#api.document.gestures, this.#gesture.id, by);
    if (found) this.#acts.choose(found.id);
  }
}

function seconds(min: string): HTMLInputElement {
  return element("input", { type: "number", min, max: "600", step: "any" });
}

function put(input: HTMLInputElement, value: number): void {
  if (input !== document.activeElement) input.value = value.toFixed(2);
}
