import type { StudioApi } from "./api";
import { ask, askName } from "./dialogs";
import { endingOf, largest, type Uploads } from "./uploads";

/** A dropped or chosen file, with the folder it came in. */
export interface Piece {
  readonly file: Blob;
  readonly name: string;
}

export type Kind = "project" | "motion" | "either" | "character" | "sound" | "annotation" | "unknown";

const KINDS: Readonly<Record<Exclude<Kind, "unknown">, readonly string[]>> = {
  project: ["kinp"],
  motion: ["bvh", "npz", "vrma", "kin"],
  either: ["glb"],
  character: ["vrm"],
  sound: ["wav", "mp3", "flac", "ogg", "m4a", "webm"],
  annotation: ["anvil", "eaf", "textgrid"],
};

export const ENDINGS = Object.values(KINDS).flat();

export function kindOf(name: string): Kind {
  const ending = endingOf(name);
  for (const [kind, endings] of Object.entries(KINDS)) if (endings.includes(ending)) return kind as Kind;
  return "unknown";
}

/** What several files together are: notes on performances, or recordings with their sound. */
export function learningOf(names: readonly string[]): "speaker" | "model" | null {
  const kinds = names.map(kindOf);
  if (kinds.includes("annotation")) return "speaker";
  const moving = kinds.filter((kind) => kind === "motion" || kind === "either").length;
  return moving > 0 && kinds.includes("sound") ? "model" : null;
}

/** Why a file cannot be sent; empty if it can. */
export function refusal(limits: Readonly<Record<string, number>>, name: string, size: number): string {
  if (size === 0) return `${name} is empty.`;
  const most = largest(limits, name);
  if (most === undefined) return `${name} cannot be used here. Allowed are: ${Object.keys(limits).join(", ")}.`;
  const megabytes = (bytes: number): string => `${Math.max(1, Math.round(bytes / 1e6))} MB`;
  return size > most ? `${name} has ${megabytes(size)}; at most ${megabytes(most)} are allowed.` : "";
}

/** Turns files of a person into requests: sends them, and asks where there is a choice. */
export class Materials {
  readonly #api: StudioApi;
  readonly #uploads: Uploads;

  constructor(api: StudioApi, uploads: Uploads) {
    this.#api = api;
    this.#uploads = uploads;
  }

  nameOf(upload: string): string | undefined {
    return this.#uploads.nameOf(upload);
  }

  /** Use files in the way that suits them; problems are shown, never thrown. */
  async take(pieces: readonly Piece[]): Promise<void> {
    try {
      const known = pieces.filter(({ name }) => kindOf(name) !== "unknown");
      const [first] = pieces;
      if (!first) return;
      if (pieces.length > 1 && known.length > 0) await this.#takeSeveral(known);
      else await this.#takeOne(known[0] ?? first);
    } catch (reason) {
      this.#api.say(reason instanceof Error ? reason.message : String(reason), "problem");
    }
  }

  /** Learn from files whatever they look like. */
  async learn(pieces: readonly Piece[], what: "speaker" | "model"): Promise<void> {
    const title = what === "speaker" ? "Learn a speaker" : "Learn a model";
    const text = what === "speaker" ? "Name of the new style:" : "Name of the new model:";
    const name = await askName(title, text, suggested(pieces[0]?.name ?? what));
    if (!name) return;
    const uploads: string[] = [];
    for (const piece of pieces) uploads.push(await this.#send(piece));
    this.#api.send({ type: "learn", uploads, what, name });
  }

  async #takeSeveral(pieces: readonly Piece[]): Promise<void> {
    const learning = learningOf(pieces.map(({ name }) => name));
    if (learning) await this.learn(pieces, learning);
    else for (const piece of pieces) await this.#takeOne(piece);
  }

  async #takeOne(piece: Piece): Promise<void> {
    const refused = refusal(this.#api.welcome.uploads, piece.name, piece.file.size);
    if (refused) throw new Error(refused);
    const kind = kindOf(piece.name);
    if (kind === "annotation") return this.learn([piece], "speaker");
    if (kind === "either") return this.#takeEither(piece);
    if (kind === "sound") return this.#takeSound(piece);
    const upload = await this.#send(piece);
    if (kind === "project") this.#api.send({ type: "open-project", upload });
    else if (kind === "character") this.#api.send({ type: "use-character", upload });
    else this.#api.send({ type: "use-motion", upload });
  }

  async #takeEither(piece: Piece): Promise<void> {
    const answer = await ask(piece.name, "What should this file be?", [
      { value: "character", label: "Character", hint: "Takes are shown on it" },
      { value: "motion", label: "Motion", hint: "Edit its motion" },
    ]);
    if (!answer) return;
    const upload = await this.#send(piece);
    this.#api.send(answer === "character" ? { type: "use-character", upload } : { type: "use-motion", upload });
  }

  async #takeSound(piece: Piece): Promise<void> {
    const { speaking } = this.#api.document;
    let text = "";
    if (speaking.text.trim()) {
      const answer = await ask(piece.name, "Is the text in Speak the transcript of this recording?", [
        { value: "sound", label: "No, use the audio only", hint: "Motion follows the voice" },
        { value: "text", label: "Yes, use the text", hint: "Gestures follow its words" },
      ]);
      if (!answer) return;
      if (answer === "text") text = speaking.text;
    }
    const upload = await this.#send(piece);
    this.#api.send({ type: "use-sound", upload, speaking: { ...speaking, text } });
  }

  #send({ file, name }: Piece): Promise<string> {
    const refused = refusal(this.#api.welcome.uploads, name, file.size);
    if (refused) return Promise.reject(new Error(refused));
    return this.#api.upload(file, name);
  }
}

function suggested(name: string): string {
  const last = name.split("/").at(0) ?? name;
  return last.replace(/\.[^.]*$/, "").replace(/[^\p{L}\p{N}_-]+/gu, "-").slice(0, 40) || "mine";
}
