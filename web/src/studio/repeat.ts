import type { Document } from "./messages";
import { isNeutral, NEUTRAL } from "./state";

/** How to make a take again without the studio; null where only the project file can. */
export interface Repeat {
  readonly command: string;
  readonly python: string;
}

/**
 * Commands for a take of a text. `made` is the script as it was performed, null if that is not known:
 * with another script the gestures were edited, which no command can say; nor can it name files of a
 * person (`builtIn` are the styles that need none).
 */
export function repeatOf(document: Document, fileName: string, made: string | null, builtIn: readonly string[]): Repeat | null {
  const { directing, speaking, source, script, character } = document;
  const simple = isNeutral({ ...directing, manner: "", physics: "off" }) && !character && builtIn.includes(speaking.style);
  if (!simple || made === null || script !== made) return null;
  const manner = directing.manner.trim();
  const physics = directing.physics;
  if (source === "text" && !document.sound) {
    const options = {
      ...(speaking.language !== "auto" && { language: speaking.language }),
      ...(speaking.voice && { voice: speaking.voice }),
      ...(speaking.rate !== 1 && { rate: speaking.rate }),
      ...(speaking.amount !== 1 && { amount: speaking.amount }),
      ...(speaking.stance && { stance: speaking.stance }),
      seed: speaking.seed,
      ...(manner && { manner }),
      ...(physics !== NEUTRAL.physics && { physics }),
    };
    return {
      command: `kinesphere perform ${quoted(speaking.text)} --style ${speaking.style}${flags(options)} -o ${quoted(fileName)}`,
      python: `import kinesphere as ks\n\ntake = ks.perform(${JSON.stringify(speaking.text)}, ${JSON.stringify(speaking.style)}${keywords(options)})\ntake.save(${JSON.stringify(fileName)})`,
    };
  }
  return null;
}

type Options = Readonly<Record<string, string | number>>;

function flags(options: Options): string {
  return Object.entries(options)
    .map(([name, value]) => ` --${name} ${typeof value === "number" ? value : quoted(value)}`)
    .join("");
}

function keywords(options: Options): string {
  return Object.entries(options)
    .map(([name, value]) => `, ${name}=${JSON.stringify(value)}`)
    .join("");
}

/** The script as performed after a change: it is known from the moment that it is filled in. */
export function madeAfter(made: string | null, before: string | null, script: string): string | null {
  if (script === "") return null;
  return before === "" ? script : made;
}

/** The name that the studio gives to a file of a take. */
export function fileNameOf(title: string, ending: string): string {
  const words = title.match(/[\p{L}\p{N}_-]+/gu) ?? [];
  return `${words.join("-").slice(0, 60).replace(/^-+|-+$/g, "") || "untitled"}${ending}`;
}

/** A word of a shell's command. */
export function quoted(text: string): string {
  return /^[\w./+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
