export type ThemeName = "light" | "dark";

const KEY = "kinesphere-theme";

/** Light or dark: as the system says, until a person decides. */
export class Theme {
  onChange: () => void = () => {};
  #chosen: ThemeName | null;
  readonly #system = matchMedia("(prefers-color-scheme: dark)");

  constructor() {
    this.#chosen = stored();
    this.#system.addEventListener("change", () => this.#show());
    this.#show();
  }

  get name(): ThemeName {
    return this.#chosen ?? (this.#system.matches ? "dark" : "light");
  }

  toggle(): void {
    this.#chosen = this.name === "dark" ? "light" : "dark";
    try {
      localStorage.setItem(KEY, this.#chosen);
    } catch {
      // Pages from a file may have no storage: the choice then lasts as long as the page.
    }
    this.#show();
  }

  #show(): void {
    document.documentElement.dataset["theme"] = this.name;
    this.onChange();
  }
}

function stored(): ThemeName | null {
  try {
    const found = localStorage.getItem(KEY);
    return found === "light" || found === "dark" ? found : null;
  } catch {
    return null;
  }
}
