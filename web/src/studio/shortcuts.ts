import type { ViewName } from "../framing";

export type Act =
  | "play"
  | "back"
  | "forward"
  | "back-far"
  | "forward-far"
  | "start"
  | "end"
  | "undo"
  | "redo"
  | "split"
  | "theme"
  | "add"
  | "delete"
  | "close"
  | "loop"
  | "mute"
  | "help"
  | `view-${ViewName}`;

/** What of a pressed key matters. */
export interface Press {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly shiftKey: boolean;
  readonly altKey: boolean;
}

interface Shortcut {
  readonly act: Act;
  /** As written in the help. */
  readonly keys: string;
  readonly says: string;
  readonly matches: (press: Press) => boolean;
}

const plain = (...keys: string[]) => (press: Press) =>
  !command(press) && keys.includes(press.key.length === 1 ? press.key.toLowerCase() : press.key);
const stepping = (key: string, far: boolean) => (press: Press) =>
  !command(press) && press.key === key && press.shiftKey === far;
const commanded = (key: string, shift: boolean) => (press: Press) =>
  command(press) && !press.altKey && press.key.toLowerCase() === key && press.shiftKey === shift;
const undo = commanded("z", false);
const redoZ = commanded("z", true);
const redoY = commanded("y", false);

function command(press: Press): boolean {
  return press.ctrlKey || press.metaKey || press.altKey;
}

export const SHORTCUTS: readonly Shortcut[] = [
  { act: "play", keys: "Space", says: "Play or pause", matches: plain(" ") },
  { act: "back", keys: "←", says: "One frame back", matches: stepping("ArrowLeft", false) },
  { act: "forward", keys: "→", says: "One frame forward", matches: stepping("ArrowRight", false) },
  { act: "back-far", keys: "Shift ←", says: "Ten frames back", matches: stepping("ArrowLeft", true) },
  { act: "forward-far", keys: "Shift →", says: "Ten frames forward", matches: stepping("ArrowRight", true) },
  { act: "start", keys: "Home", says: "To the start", matches: plain("Home") },
  { act: "end", keys: "End", says: "To the end", matches: plain("End") },
  { act: "loop", keys: "L", says: "Loop", matches: plain("l") },
  { act: "mute", keys: "S", says: "Sound on or off", matches: plain("s") },
  { act: "undo", keys: "Ctrl Z", says: "Undo", matches: undo },
  { act: "redo", keys: "Ctrl Shift Z, Ctrl Y", says: "Redo", matches: (press) => redoZ(press) || redoY(press) },
  { act: "add", keys: "A", says: "Add a gesture here", matches: plain("a") },
  { act: "delete", keys: "Delete", says: "Delete the selected gesture", matches: plain("Delete", "Backspace") },
  { act: "close", keys: "Esc", says: "Close the gesture editor", matches: plain("Escape") },
  { act: "view-angle", keys: "1", says: "From an angle", matches: plain("1") },
  { act: "view-front", keys: "2", says: "From the front", matches: plain("2") },
  { act: "view-side", keys: "3", says: "From the side", matches: plain("3") },
  { act: "view-top", keys: "4", says: "From above", matches: plain("4") },
  { act: "split", keys: "B", says: "Compare with the plain take", matches: plain("b") },
  { act: "theme", keys: "T", says: "Light or dark", matches: plain("t") },
  { act: "help", keys: "?", says: "This list", matches: plain("?") },
];

/** Keys that work elsewhere in the page, for the help. */
export const OTHER_KEYS: readonly (readonly [string, string])[] = [
  ["Ctrl Enter", "Perform the text"],
  ["M", "Talk, and stop (in Talk)"],
  ["Ctrl wheel", "Zoom the timeline"],
];

/** What kind of control has the focus: each keeps the keys it needs itself. */
export type Focus = "none" | "text" | "button" | "slider" | "list";

const KEPT: Readonly<Record<Focus, (act: Act) => boolean>> = {
  none: () => false,
  text: () => true,
  button: (act) => act === "play",
  slider: (act) => /^(back|forward|start|end)/.test(act),
  list: (act) => act !== "undo" && act !== "redo",
};

/** What a key does; null for nothing. */
export function actOf(press: Press, focus: Focus = "none"): Act | null {
  const found = SHORTCUTS.find(({ matches }) => matches(press))?.act ?? null;
  return found && KEPT[focus](found) ? null : found;
}

export function focusOf(target: Element | null): Focus {
  if (target instanceof HTMLTextAreaElement || (target as HTMLElement | null)?.isContentEditable) return "text";
  if (target instanceof HTMLSelectElement) return "list";
  if (target instanceof HTMLInputElement) {
    if (target.type === "range") return "slider";
    return target.type === "checkbox" || target.type === "radio" ? "list" : "text";
  }
  if (target instanceof HTMLButtonElement) return "button";
  const role = target?.getAttribute("role");
  if (role === "slider" || role === "application") return "slider";
  return role === "listbox" || role === "option" || role === "tab" ? "list" : "none";
}

export function listenToShortcuts(act: (act: Act) => void): void {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
    const found = actOf(event, focusOf(document.activeElement));
    if (!found) return;
    event.preventDefault();
    act(found);
  });
}
