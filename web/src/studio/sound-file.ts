import { element } from "../dom";

const ENDINGS = ["wav", "mp3", "flac", "ogg", "m4a", "webm"];

/** What is wrong with a file as a recording, in a sentence; empty if nothing. `limits`: ending to bytes. */
export function soundProblem(name: string, size: number, limits: Readonly<Record<string, number>>): string {
  const ending = name.toLowerCase().split(".").pop() ?? "";
  if (!ENDINGS.includes(ending)) return `\u201c${name}\u201d is not an audio file: WAV, MP3, FLAC, OGG, M4A and WebM can be used.`;
  if (size === 0) return `\u201c${name}\u201d is empty.`;
  const limit = limits[ending] ?? limits[`.${ending}`];
  if (limit !== undefined && size > limit) {
    return `\u201c${name}\u201d has ${sizeText(size)}; up to ${sizeText(limit)} can be used.`;
  }
  return "";
}

export function sizeText(bytes: number): string {
  if (bytes < 1_000_000) return `${Math.max(1, Math.round(bytes / 1000))} kB`;
  return `${(bytes / 1_000_000).toFixed(1).replace(/\.0$/, "")} MB`;
}

/** A place to drop a recording on, or to choose one by. */
export class SoundFile {
  readonly root = element("div", { class: "sound-file" });
  onFile: (file: File) => void = () => {};
  readonly #input = element("input", {
    type: "file",
    id: "talk-sound-file",
    class: "sound-input",
    accept: ENDINGS.map((e) => `.${e}`).join(","),
  });
  readonly #label = element("label", { for: "talk-sound-file", class: "sound-drop" });

  constructor() {
    this.root.append(this.#input, this.#label);
    this.show(null);
    this.#input.addEventListener("change", () => {
      const file = this.#input.files?.[0];
      // The same file can be chosen again.
      this.#input.value = "";
      if (file) this.onFile(file);
    });
    for (const name of ["dragenter", "dragover"]) {
      this.root.addEventListener(name, (event) => {
        event.preventDefault();
        this.root.classList.add("over");
      });
    }
    this.root.addEventListener("dragleave", () => this.root.classList.remove("over"));
    this.root.addEventListener("drop", (event) => {
      const file = event.dataTransfer?.files[0];
      if (!file) return;
      // Taken here, so the page should not take it too; to the page the drag has just gone.
      event.preventDefault();
      event.stopPropagation();
      this.root.dispatchEvent(new DragEvent("dragleave", { bubbles: true }));
      this.onFile(file);
    });
  }

  set disabled(off: boolean) {
    this.#input.disabled = off;
    this.root.classList.toggle("off", off);
  }

  show(file: { readonly name: string; readonly size: number } | null): void {
    if (!file) {
      this.#label.replaceChildren(
        element("strong", {}, "Drop a recording"),
        element("span", {}, "or choose one: WAV, MP3, FLAC"),
      );
      return;
    }
    this.#label.replaceChildren(
      element("strong", { class: "sound-name", title: file.name }, file.name),
      element("span", {}, `${sizeText(file.size)}, choose another`),
    );
  }
}
