import { element } from "../dom";
import type { StudioApi } from "./api";
import { choose, fill } from "./fields";
import type { MenuChoice, Speaking } from "./messages";
import { microphones } from "./microphone";

/** Which microphone, and whose body language, how much of it, how restless, and by which seed. */
export class TalkSettings {
  readonly root = element("div", { class: "talk-settings" });
  onDevice: (id: string) => void = () => {};
  readonly #api: StudioApi;
  readonly #device = element("select", { id: "talk-device" });
  readonly #model = element("select", { id: "talk-model" });
  readonly #amount = element("input", { type: "range", id: "talk-amount", min: "0", max: "1.5", step: "0.05" });
  readonly #amountText = element("output", { for: "talk-amount" });
  readonly #stance = element("select", { id: "talk-stance" });
  readonly #seed = element("input", { type: "number", id: "talk-seed", min: "0", max: "999999", step: "1" });
  #touched = false;

  constructor(api: StudioApi) {
    this.#api = api;
    this.root.append(
      ...named("Microphone", this.#device),
      ...named("Body language", this.#model),
      ...named("Amount", this.#amount, this.#amountText),
      ...named("Stance", this.#stance),
      ...named("Seed", this.#seed, this.#another()),
    );
    this.#models(api.welcome.models);
    fill(this.#stance, api.welcome.stances);
    this.#show();
    for (const control of [this.#model, this.#amount, this.#stance, this.#seed]) {
      control.addEventListener("input", () => {
        this.#touched = true;
        this.#showAmount();
      });
    }
    this.#device.addEventListener("change", () => this.onDevice(this.#device.value));
    api.on("changed", () => this.#touched || this.#show());
    api.on("reply", (reply) => {
      if (reply.type === "learned") this.#models(reply.models);
    });
    navigator.mediaDevices?.addEventListener("devicechange", () => void this.findDevices());
    void this.findDevices();
  }

  get device(): string {
    return this.#device.value;
  }

  set locked(locked: boolean) {
    for (const control of this.root.querySelectorAll<HTMLInputElement>("select, input, button")) {
      control.disabled = locked;
    }
  }

  /** As in the document, but for what is chosen here; `text` is what is said, if that is known. */
  speaking(text: string): Speaking {
    const seed = Math.round(Number(this.#seed.value));
    return {
      ...this.#api.document.speaking,
      text,
      model: this.#model.value || this.#api.document.speaking.model,
      amount: Number(this.#amount.value),
      stance: this.#stance.value,
      seed: Number.isFinite(seed) && seed >= 0 ? seed : 1,
    };
  }

  /** The list anew; `open` is the device in use, if one is. */
  async findDevices(open = ""): Promise<void> {
    const found = await microphones().catch(() => []);
    const chosen = open || this.#device.value;
    const usual = found.some((device) => device.id === "default") ? [] : [{ id: "", label: "Default microphone" }];
    this.#device.replaceChildren(
      ...[...usual, ...found].map((device) => element("option", { value: device.id }, device.label)),
    );
    if (found.some((device) => device.id === chosen)) this.#device.value = chosen;
  }

  #another(): HTMLButtonElement {
    const made = element("button", { type: "button", class: "talk-another", title: "Another random seed gives another performance" }, "Another");
    made.addEventListener("click", () => {
      this.#seed.value = String(1 + Math.floor(9998 * Math.random()));
      this.#touched = true;
    });
    return made;
  }

  #models(models: readonly MenuChoice[]): void {
    const before = this.#model.value || this.#api.document.speaking.model;
    fill(this.#model, models);
    choose(this.#model, before);
  }

  #show(): void {
    const { model, amount, stance, seed } = this.#api.document.speaking;
    choose(this.#model, model);
    choose(this.#stance, stance);
    this.#amount.value = String(amount);
    this.#seed.value = String(seed);
    this.#showAmount();
  }

  #showAmount(): void {
    this.#amountText.textContent = `${Math.round(100 * Number(this.#amount.value))}%`;
    this.#amount.style.setProperty("--done", `${(100 / 1.5) * Number(this.#amount.value)}%`);
  }
}

function named(name: string, control: HTMLElement, ...more: HTMLElement[]): HTMLElement[] {
  const label = element("label", { for: control.id }, name);
  return [label, element("div", { class: "talk-control" }, control, ...more)];
}
