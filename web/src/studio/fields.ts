import { element } from "../dom";
import type { MenuChoice } from "./messages";

let made = 0;

/** A control with its name above it; `hint` is a short text below. */
export function field(label: string, control: HTMLElement, hint?: HTMLElement | string): HTMLElement {
  made += 1;
  control.id ||= `field-${made}`;
  const name = element("label", { for: control.id }, label);
  const root = element("div", { class: "field" }, name, control);
  if (hint) {
    const text = typeof hint === "string" ? element("small", {}, hint) : hint;
    text.id ||= `hint-${made}`;
    control.setAttribute("aria-describedby", text.id);
    root.append(text);
  }
  return root;
}

/** Fill a list, grouped where choices have groups; keeps what is chosen if it is still there. */
export function fill(select: HTMLSelectElement, choices: readonly MenuChoice[]): void {
  const before = select.value;
  const groups = new Map<string, HTMLElement>();
  select.replaceChildren();
  for (const { name, label, group } of choices) {
    const option = element("option", { value: name }, label || name);
    if (!group) {
      select.append(option);
      continue;
    }
    const found = groups.get(group) ?? element("optgroup", { label: sentence(group) });
    if (!groups.has(group)) select.append(found);
    groups.set(group, found);
    found.append(option);
  }
  if (choices.some(({ name }) => name === before)) select.value = before;
}

/** Choose a value, even one that is not in the list (an upload's id, say). */
export function choose(select: HTMLSelectElement, value: string): void {
  if (![...select.options].some((option) => option.value === value)) {
    select.append(element("option", { value }, value || "Automatic"));
  }
  select.value = value;
}

/** A slider with its value beside it. */
export class Slider {
  readonly root: HTMLElement;
  readonly input: HTMLInputElement;
  readonly #text = element("output");
  readonly #show: (value: number) => string;

  constructor(label: string, low: number, high: number, step: number, show: (value: number) => string) {
    this.#show = show;
    this.input = element("input", { type: "range", min: String(low), max: String(high), step: String(step) });
    this.input.addEventListener("input", () => this.#paint());
    this.root = field(label, this.input);
    this.root.classList.add("slider");
    this.root.querySelector("label")?.append(this.#text);
  }

  get value(): number {
    return this.input.valueAsNumber;
  }

  set value(value: number) {
    this.input.value = String(value);
    this.#paint();
  }

  #paint(): void {
    const { min, max } = this.input;
    const ratio = (this.value - Number(min)) / (Number(max) - Number(min));
    this.input.style.setProperty("--done", `${100 * ratio}%`);
    this.#text.textContent = this.#show(this.value);
  }
}

/** First letter large. */
export function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1).replaceAll("-", " ").replaceAll("_", " ");
}

const HANDS: Readonly<Record<string, string>> = { RH: "Right", LH: "Left", "2H": "Both" };

/** Hands of a gesture in a word. */
export function handsText(hands: string): string {
  return HANDS[hands] ?? sentence(hands);
}
