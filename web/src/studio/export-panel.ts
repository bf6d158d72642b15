import { button, element } from "../dom";
import { icon } from "../icons";
import type { Panel, StudioApi } from "./api";
import { sentence } from "./fields";
import type { Exported, MenuChoice } from "./messages";
import { fileNameOf, madeAfter, repeatOf } from "./repeat";

/** The take as a file of any kind, the project, and how to make it again. */
export class ExportPanel implements Panel {
  readonly root = element("div", { class: "panel export" });
  readonly #api: StudioApi;
  readonly #formats = element("div");
  readonly #files = element("ul", { class: "used", "aria-label": "Files written" });
  readonly #filesTitle = element("h3", {}, "Written");
  readonly #command = element("pre", { tabindex: "0", "aria-label": "Command line" });
  readonly #python = element("pre", { tabindex: "0", "aria-label": "Python" });
  readonly #repeat = element("section");
  readonly #hint = element("p", { class: "hint" });
  /** The script as it was performed, and as it was last. */
  #made: string | null = null;
  #script: string | null = null;

  constructor(api: StudioApi) {
    this.#api = api;
    const fresh = button({ label: "Start an empty project", text: "New project" }, () => api.send({ type: "new-project" }));
    this.#repeat.append(
      element("h3", {}, "To reproduce it"),
      this.#hint,
      this.#copied("Command line", this.#command),
      this.#copied("Python", this.#python),
    );
    this.root.append(this.#formats, element("div", { class: "row" }, fresh), this.#filesTitle, this.#files, this.#repeat);
    this.#filesTitle.hidden = true;
    api.on("changed", ({ document: { script } }) => {
      this.#made = madeAfter(this.#made, this.#script, script);
      this.#script = script;
      this.#show();
    });
    api.on("take", () => this.#show());
    api.on("connected", () => this.#show());
    api.on("reply", (reply) => {
      if (reply.type === "exported") this.#exported(reply);
      if (reply.type === "welcome") this.#offer();
    });
    this.#offer();
  }

  #offer(): void {
    const groups = new Map<string, MenuChoice[]>();
    for (const format of this.#api.welcome.formats) groups.set(format.group, [...(groups.get(format.group) ?? []), format]);
    this.#formats.replaceChildren();
    for (const [group, formats] of groups) {
      const list = element("div", { class: "formats" }, ...formats.map((format) => this.#choice(format)));
      this.#formats.append(element("h3", {}, sentence(group)), list);
    }
    this.#show();
  }

  #choice({ name, label, group }: MenuChoice): HTMLElement {
    const control = button({ label: `Export ${label}`, className: "format" }, () => this.#api.send({ type: "export", ending: name }));
    control.append(element("code", {}, name), element("span", {}, label));
    control.dataset["ending"] = name;
    control.dataset["group"] = group;
    return control;
  }

  #show(): void {
    const { connected, document, take } = this.#api;
    for (const control of this.#formats.querySelectorAll("button")) {
      const unwritten = control.dataset["ending"] === ".script" && !document.script;
      control.disabled = !connected || unwritten || (!take && control.dataset["group"] !== "project");
    }
    const builtIn = this.#api.welcome.styles.filter(({ group }) => group === "built in").map(({ name }) => name);
    const repeat = take ? repeatOf(document, fileNameOf(document.title, ".glb"), this.#made, builtIn) : null;
    this.#repeat.hidden = !take;
    this.#hint.textContent = repeat ? "" : "The project file contains everything needed to make this take again. A take that was edited by hand or made from your own files cannot be made by a single command.";
    this.#hint.hidden = Boolean(repeat);
    for (const [pre, text] of [[this.#command, repeat?.command], [this.#python, repeat?.python]] as const) {
      pre.textContent = text ?? "";
      const box = pre.parentElement;
      if (box) box.hidden = !text;
    }
  }

  #exported({ name, url, size }: Exported): void {
    const link = element("a", { href: url, download: name }, name);
    const item = element("li", {}, icon("file"), link, element("small", {}, sizeText(size)));
    for (const old of Array.from(this.#files.children)) if (old.querySelector("a")?.textContent === name) old.remove();
    this.#files.prepend(item);
    this.#filesTitle.hidden = false;
    this.#api.say(`${name} is written.`);
    link.click();
  }

  #copied(title: string, text: HTMLElement): HTMLElement {
    const copy = button({ label: `Copy: ${title}`, text: "Copy", className: "link" }, () => {
      navigator.clipboard?.writeText(text.textContent ?? "").then(
        () => this.#api.say("Copied."),
        () => this.#api.say("The browser did not allow copying."),
      );
    });
    return element("div", { class: "code" }, element("header", {}, element("small", {}, title), copy), text);
  }
}

function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1e6 ? `${Math.round(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
