import { element } from "../dom";
import type { Piece } from "./materials";

const MOST_FILES = 500;

/** Files dropped anywhere on the page, with those in dropped folders. */
export class DropArea {
  readonly #veil = element("div", { class: "drop-veil", "aria-hidden": "true" }, element("p", {}, "Drop to use it"));
  #depth = 0;

  constructor(area: HTMLElement, take: (pieces: readonly Piece[]) => void) {
    area.append(this.#veil);
    this.#veil.hidden = true;
    area.addEventListener("dragenter", (event) => this.#enter(event));
    area.addEventListener("dragleave", () => this.#leave());
    area.addEventListener("dragover", (event) => {
      if (hasFiles(event)) event.preventDefault();
    });
    area.addEventListener("drop", (event) => {
      this.#depth = 0;
      this.#veil.hidden = true;
      // Some places take files themselves.
      if (!hasFiles(event) || event.defaultPrevented) return;
      event.preventDefault();
      if (event.dataTransfer) void piecesOf(event.dataTransfer).then(take);
    });
  }

  #enter(event: DragEvent): void {
    if (!hasFiles(event)) return;
    event.preventDefault();
    this.#depth += 1;
    this.#veil.hidden = false;
  }

  #leave(): void {
    this.#depth = Math.max(0, this.#depth - 1);
    if (this.#depth === 0) this.#veil.hidden = true;
  }
}

function hasFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes("Files") ?? false;
}

async function piecesOf(data: DataTransfer): Promise<Piece[]> {
  // Entries are gone after the event, so they are all asked for at once.
  const entries = [...data.items].map((item) => item.webkitGetAsEntry?.() ?? null);
  if (!entries.some(Boolean)) return [...data.files].map((file) => ({ file, name: file.name }));
  const found: Piece[] = [];
  for (const entry of entries) if (entry) await collect(entry, found);
  return found;
}

async function collect(entry: FileSystemEntry, into: Piece[]): Promise<void> {
  if (into.length >= MOST_FILES) return;
  if (entry.isFile) {
    const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject));
    into.push({ file, name: entry.fullPath.replace(/^\//, "") });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return;
    for (const one of some) await collect(one, into);
  }
}
