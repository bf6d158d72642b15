import type { Document } from "./messages";
import { isNeutral, NEUTRAL } from "./state";

/** How to make a take again without the studio; null where only the project file can. */
export interface Repeat {
  readonly command: string;
  readonly python: string;
}

/** Commands for a take of a text or a recording that nobody has edited by hand. */
export function repeatOf(document: Document, fileName: string): Repeat | null {
  const { directing, speaking, source, gestures } = document;
  const simple = isNeutral({ ...directing, manner: "", physics: "off" });
  if (!simple || gestures.some(({ pinned }) => pinned)) return null;
  const manner = directing.manner.trim();
  const physics = directing.physics;
  if (source === "text" && !document.sound) {
    const options = {
      ...(speaking.language !== "auto" && { language: speaking.language }),
      ...(speaking.voice && { voice: speaking.voice }),
      ...(speaking.rate !== 1 && { rate: speaking.rate }),
      ...(speaking.amount !== 1 && { amount: speaking.amount }),
      seed: speaking.seed,
      ...(manner && { manner }),
      ...(physics !== NEUTRAL.physics && { physics }),
    };
    return {
      command: `kinesphere perform ${quoted(speaking.text)} --style ${speaking.style}${flags(options)} -o ${fileName}`,
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

/** A word of a shell's command. */
export function quoted(text: string): string {
  return /^[\w./+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
