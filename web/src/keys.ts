import type { ViewName } from "./framing";

export interface KeyActs {
  playOrPause(): void;
  step(frames: number): void;
  seek(time: number): void;
  view(name: ViewName): void;
  loop(): void;
  mute(): void;
  paths(): void;
  theme(): void;
}

const VIEW_KEYS: Readonly<Record<string, ViewName>> = {
  "1": "angle",
  "2": "front",
  "3": "side",
  "4": "top",
};

/** The keyboard. A focused button keeps its space bar, the speed slider its arrows. */
export function listenToKeys(acts: KeyActs): void {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = actOf(event, acts);
    if (!act) return;
    event.preventDefault();
    act();
  });
}

function actOf(event: KeyboardEvent, acts: KeyActs): (() => void) | null {
  const focus = document.activeElement;
  const steps = event.shiftKey ? 10 : 1;
  const view = VIEW_KEYS[event.key];
  if (view) return () => acts.view(view);
  switch (event.key) {
    case " ":
      return focus instanceof HTMLButtonElement ? null : acts.playOrPause;
    case "ArrowLeft":
    case "ArrowRight": {
      if (focus instanceof HTMLInputElement && !focus.classList.contains("scrub")) return null;
      const way = event.key === "ArrowLeft" ? -1 : 1;
      return () => acts.step(way * steps);
    }
    case ",":
      return () => acts.step(-1);
    case ".":
      return () => acts.step(1);
    case "Home":
      return () => acts.seek(0);
    case "End":
      return () => acts.seek(Infinity);
    default:
      return letterOf(event.key.toLowerCase(), acts);
  }
}

function letterOf(key: string, acts: KeyActs): (() => void) | null {
  if (key === "l") return acts.loop;
  if (key === "m") return acts.mute;
  if (key === "p") return acts.paths;
  return key === "t" ? acts.theme : null;
}
