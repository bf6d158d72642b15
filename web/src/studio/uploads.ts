import type { Document, MenuChoice, Uploaded, UploadRefused } from "./messages";

/** A file that was sent, kept so that a server started anew can have it again. */
export interface Sent {
  readonly file: Blob;
  readonly name: string;
}

/** Sends one file; resolves to the id, rejects with a sentence. */
export type Post = (file: Blob, name: string) => Promise<string>;

/** Files on their way to the server, and those it has by id. */
export class Uploads {
  readonly #post: Post;
  readonly #sent = new Map<string, Sent>();

  constructor(post: Post) {
    this.#post = post;
  }

  async send(file: Blob, name: string): Promise<string> {
    const id = await this.#post(file, name);
    this.#sent.set(id, { file, name });
    return id;
  }

  /** Keep something that the server has by an id and that came from elsewhere: talk, a project. */
  remember(id: string, file: Blob, name: string): void {
    if (id && !this.#sent.has(id)) this.#sent.set(id, { file, name });
  }

  /** Name of an upload; undefined for what came otherwise (from a project, say). */
  nameOf(id: string): string | undefined {
    return this.#sent.get(id)?.name;
  }

  /** Send again what a document refers to: the document with the new ids, and what is missing. */
  async again(document: Document): Promise<{ document: Document; missing: readonly string[] }> {
    const ids = new Map<string, string>();
    const missing: string[] = [];
    for (const id of uploadsOf(document)) {
      const sent = this.#sent.get(id);
      if (sent) ids.set(id, await this.send(sent.file, sent.name));
      else if (isFile(document, id)) missing.push(id);
    }
    return { document: withIds(document, ids, missing), missing };
  }
}

/** Everything in a document that may be the id of an upload. */
export function uploadsOf(document: Document): string[] {
  const { sound, motion, character, speaking } = document;
  return [...new Set([sound, motion, character, speaking.style, speaking.model].filter(Boolean))];
}

/** Styles and models may also be names; these three are always files. */
function isFile({ sound, motion, character }: Document, id: string): boolean {
  return id === sound || id === motion || id === character;
}

/** The document with other ids; files that are missing are left out. */
export function withIds(
  document: Document,
  ids: ReadonlyMap<string, string>,
  missing: readonly string[] = [],
): Document {
  const other = (id: string): string => (missing.includes(id) ? "" : (ids.get(id) ?? id));
  const { speaking } = document;
  return {
    ...document,
    sound: other(document.sound),
    motion: other(document.motion),
    character: other(document.character),
    speaking: { ...speaking, style: ids.get(speaking.style) ?? speaking.style, model: ids.get(speaking.model) ?? speaking.model },
  };
}

/** The document with a style and a model that there are: learned ones are gone with their server. */
export function withKnown(document: Document, styles: readonly MenuChoice[], models: readonly MenuChoice[], own: (id: string) => boolean): Document {
  const known = (name: string, choices: readonly MenuChoice[]): string =>
    own(name) || choices.length === 0 || choices.some((choice) => choice.name === name) ? name : (choices[0]?.name ?? name);
  const { speaking } = document;
  return { ...document, speaking: { ...speaking, style: known(speaking.style, styles), model: known(speaking.model, models) } };
}

/** The real thing: a POST beside the page. */
export function postTo(session: () => string): Post {
  return async (file, name) => {
    const query = new URLSearchParams({ session: session(), name });
    let answer: Response;
    try {
      answer = await fetch(`upload?${query}`, { method: "POST", body: file });
    } catch {
      throw new Error(`${name} could not be uploaded: there is no connection to the studio`);
    }
    const said = (await answer.json().catch(() => ({}))) as Partial<Uploaded & UploadRefused>;
    if (answer.ok && said.upload) return said.upload;
    throw new Error(said.problem ?? `${name} was rejected (${answer.status})`);
  };
}

/** The largest file of an ending that the server takes; undefined for an ending it does not take. */
export function largest(limits: Readonly<Record<string, number>>, name: string): number | undefined {
  const ending = endingOf(name);
  return limits[ending] ?? limits[`.${ending}`] ?? limits["*"] ?? limits[""];
}

export function endingOf(name: string): string {
  const dot = name.lastIndexOf(".");
  return dot < 0 ? "" : name.slice(dot + 1).toLowerCase();
}
