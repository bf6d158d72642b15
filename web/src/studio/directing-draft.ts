import type { Directing } from "./messages";
import { Throttle } from "./throttle";

const TIMES_A_SECOND = 15;
/** After so long without the server's agreement, what the server has is shown. */
const PATIENCE_MS = 1500;
/** Changes of the same thing that follow each other faster, such as by an arrow key, are one for undo. */
const SAME_MS = 800;

/**
 * What is shown while a person drags: their own newest values, not the answers to older ones that still
 * come in. Once the server has the newest, or does not take it, the document is shown again.
 */
export class DirectingDraft {
  onChange: (directing: Directing) => void = () => {};
  readonly #sender: Throttle<{ directing: Directing; group: string }>;
  #shown: Directing;
  #document: Directing;
  #ahead = false;
  #held = false;
  #group = "";
  #what = "";
  #changedMs = -Infinity;
  #patience: ReturnType<typeof setTimeout> | null = null;

  constructor(document: Directing, send: (directing: Directing, group: string) => void) {
    this.#shown = this.#document = document;
    this.#sender = new Throttle(({ directing, group }) => send(directing, group), TIMES_A_SECOND);
  }

  get shown(): Directing {
    return this.#shown;
  }

  /** A drag begins: until `release` its changes are one, which undo takes back together. */
  hold(what: string): void {
    this.#begin(what);
    this.#held = true;
  }

  change(next: Directing, what: string): void {
    const now = performance.now();
    if (!this.#held && (what !== this.#what || now - this.#changedMs > SAME_MS)) this.#begin(what);
    this.#changedMs = now;
    this.#shown = tidied(next);
    this.#ahead = true;
    this.#sender.call({ directing: this.#shown, group: this.#group });
    this.#wait();
    this.onChange(this.#shown);
  }

  release(): void {
    if (!this.#held) return;
    this.#held = false;
    this.#what = "";
    this.#sender.flush();
    if (this.#ahead) this.#wait();
  }

  /** The document as the server has it now. */
  agree(document: Directing): void {
    this.#document = document;
    if (this.#ahead && !same(document, this.#shown)) return;
    this.#settle();
  }

  /** The server does not take what was sent, or is another one: show what it has. */
  giveUp(document: Directing): void {
    this.#document = document;
    this.#held = false;
    this.#sender.cancel();
    this.#settle();
  }

  /** A new group; what still waits belongs to the one before. */
  #begin(what: string): void {
    this.#sender.flush();
    this.#what = what;
    this.#group = `${what} ${Math.random().toString(36).slice(2, 10)}`;
  }

  #wait(): void {
    if (this.#patience !== null) clearTimeout(this.#patience);
    this.#patience = setTimeout(() => {
      this.#patience = null;
      if (!this.#held) this.#settle();
    }, PATIENCE_MS);
  }

  #settle(): void {
    if (this.#patience !== null) clearTimeout(this.#patience);
    this.#patience = null;
    this.#ahead = false;
    this.#shown = this.#document;
    this.onChange(this.#shown);
  }
}

/** Without zeros and empty parts, and the points in order. */
export function tidied(directing: Directing): Directing {
  const parts: Record<string, Record<string, number>> = {};
  for (const [part, factors] of Object.entries(directing.parts)) {
    const kept = Object.entries(factors).filter(([, value]) => value !== 0);
    if (kept.length > 0) parts[part] = Object.fromEntries(kept);
  }
  const phrase = [...directing.phrase].sort(
    (a, b) => order(a.part, b.part) || order(a.factor, b.factor) || a.time_s - b.time_s,
  );
  return { ...directing, parts, phrase };
}

function order(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

function same(a: Directing, b: Directing): boolean {
  return canonical(a) === canonical(b);
}

function canonical(directing: Directing): string {
  const { manner, parts, phrase, tension, physics } = tidied(directing);
  const sorted = Object.entries(parts)
    .map(([part, factors]) => [part, Object.entries(factors).sort(([x], [y]) => order(x, y))] as const)
    .sort(([x], [y]) => order(x, y));
  const points = phrase.map((point) => [point.part, point.factor, point.time_s, point.value]);
  return JSON.stringify([manner, sorted, points, tension && [tension.error_m, tension.zeta], physics]);
}

/** The directing with one factor of some parts set. */
export function withFactor(
  directing: Directing,
  parts: readonly string[],
  factor: string,
  value: number,
): Directing {
  const changed = { ...directing.parts };
  for (const part of parts) changed[part] = { ...changed[part], [factor]: value };
  return { ...directing, parts: changed };
}

/** The directing with no factor set in these parts; curves stay. */
export function withoutFactors(directing: Directing, parts: readonly string[]): Directing {
  const kept = Object.entries(directing.parts).filter(([part]) => !parts.includes(part));
  return { ...directing, parts: Object.fromEntries(kept) };
}
