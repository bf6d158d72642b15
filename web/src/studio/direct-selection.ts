import { FACTORS, applies, factorOf, partsOf } from "./factors";
import type { Factor } from "./factors";

/** Which part and which factor a person works on, for sliders and curves alike. */
export class DirectSelection {
  #choice: string;
  #factor = FACTORS[0]?.name ?? "";
  readonly #listeners: (() => void)[] = [];

  constructor(choice: string) {
    this.#choice = choice;
  }

  /** Name of the choice, such as both arms. */
  get choice(): string {
    return this.#choice;
  }

  /** Parts of the document that it stands for. */
  get parts(): readonly string[] {
    return partsOf(this.#choice);
  }

  get factor(): Factor {
    return factorOf(this.#factor);
  }

  select(choice: string, factor: string = this.#factor): void {
    const parts = partsOf(choice);
    const fits = applies(factorOf(factor), parts) ? factor : (FACTORS[0]?.name ?? factor);
    if (choice === this.#choice && fits === this.#factor) return;
    this.#choice = choice;
    this.#factor = fits;
    for (const listener of this.#listeners) listener();
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }
}
