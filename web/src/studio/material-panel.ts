import { button, element } from "../dom";
import { icon } from "../icons";
import type { Panel, StudioApi } from "./api";
import { ENDINGS, type Materials, type Piece } from "./materials";
import type { MenuChoice, Request } from "./messages";

/** Group of what comes with the project. */
const BUILT_IN = "built in";

/** A person's own files: motion, characters, sound, projects, and what to learn from. */
export class MaterialPanel implements Panel {
  readonly root = element("div", { class: "panel material" });
  readonly #api: StudioApi;
  readonly #materials: Materials;
  readonly #used = element("ul", { class: "used", "aria-label": "In use" });
  readonly #learned = element("ul", { class: "used", "aria-label": "Learned" });

  constructor(api: StudioApi, materials: Materials) {
    this.#api = api;
    this.#materials = materials;
    this.root.append(
      this.#dropZone(),
      element("h3", {}, "In use"),
      this.#used,
      element("h3", {}, "Learn"),
      element("p", { class: "hint" }, "Learns a style from annotated performances, or trains a body-language model on motion files with audio files of the same name. A report opens when it is done."),
      element("div", { class: "row" }, this.#learnButton("speaker", "Learn a speaker", false), this.#learnButton("model", "Learn a model", true)),
      this.#learned,
    );
    api.on("changed", () => this.#show());
    api.on("reply", ({ type }) => {
      if (type === "figure-ready" || type === "learned" || type === "welcome") this.#show();
    });
    this.#show();
  }

  #dropZone(): HTMLElement {
    const accept = ENDINGS.map((ending) => `.${ending}`).join(",");
    const input = fileInput({ multiple: "", accept }, (pieces) => void this.#materials.take(pieces));
    const pick = button({ label: "Choose files", text: "Choose files" }, () => input.click());
    return element(
      "div",
      { class: "drop-zone" },
      icon("file"),
      element("p", {}, "Drop files or folders anywhere on this page"),
      element("small", {}, "Motion (BVH, GLB, NPZ) · characters (VRM, GLB) · audio (WAV, MP3) · projects (KINP) · annotations (ANVIL, ELAN)"),
      pick,
      input,
    );
  }

  #learnButton(what: "speaker" | "model", text: string, folder: boolean): HTMLElement {
    const attributes: Record<string, string> = folder ? { webkitdirectory: "" } : { multiple: "" };
    const input = fileInput(attributes, (pieces) => {
      this.#materials.learn(pieces, what).catch((reason: unknown) => this.#api.say(String(reason instanceof Error ? reason.message : reason), "problem"));
    });
    const hint = folder ? `${text} from a folder` : `${text} from annotation files`;
    return element("span", {}, button({ label: hint, text }, () => input.click()), input);
  }

  #show(): void {
    const { document, welcome } = this.#api;
    const { character, motion, sound, source, speaking } = document;
    // A text can do without its recording; a voice and a motion are all that there is.
    const withoutSound = source === "text" ? this.#ask("Speak the text without this recording", { type: "use-sound", upload: "", speaking }) : this.#anew("Stop using this recording");
    const lines = [
      line("Character", character ? this.#name(character) : "Default figure", character ? this.#ask("Use the default figure", { type: "use-character", upload: "" }) : null),
      ...(motion && source === "motion" ? [line("Motion", this.#name(motion), this.#anew("Stop using this motion"))] : []),
      ...(sound ? [line("Sound", this.#name(sound), withoutSound)] : []),
    ];
    this.#used.replaceChildren(...lines);
    const own = (choices: readonly MenuChoice[], kind: string): HTMLElement[] =>
      choices.filter(({ group }) => group !== BUILT_IN).map(({ label }) => line(kind, label, null));
    this.#learned.replaceChildren(...own(welcome.styles, "Style"), ...own(welcome.models, "Model"));
    this.#learned.hidden = this.#learned.childElementCount === 0;
  }

  #name(upload: string): string {
    return this.#materials.nameOf(upload)?.split("/").at(-1) ?? "From the project";
  }

  /** Nothing can be made without what a take was made from, so this begins again. */
  #anew(label: string): HTMLButtonElement {
    return this.#ask(label, { type: "new-project" });
  }

  #ask(label: string, request: Request): HTMLButtonElement {
    return button({ label, icon: icon("close") }, () => this.#api.send(request));
  }
}

function line(kind: string, name: string, remove: HTMLElement | null): HTMLElement {
  return element("li", {}, element("small", {}, kind), element("span", {}, name), ...(remove ? [remove] : []));
}

function fileInput(attributes: Readonly<Record<string, string>>, take: (pieces: readonly Piece[]) => void): HTMLInputElement {
  const input = element("input", { type: "file", hidden: "", "aria-label": "Files", ...attributes });
  input.addEventListener("change", () => {
    const pieces = [...(input.files ?? [])].map((file) => ({ file, name: file.webkitRelativePath || file.name }));
    input.value = "";
    if (pieces.length) take(pieces);
  });
  return input;
}
