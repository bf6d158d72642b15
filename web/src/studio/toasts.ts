import { button, element } from "../dom";
import { icon } from "../icons";

const NOTE_MS = 4500;
const PROBLEM_MS = 12000;
const MOST = 4;

/** Short messages in a corner; problems stay longer and are read aloud at once. */
export class Toasts {
  readonly root = element("div", { class: "toasts" });
  /** Texts of all problems so far. */
  readonly problems: string[] = [];

  readonly say = (text: string, kind: "note" | "problem"): void => {
    if (kind === "problem") this.problems.push(text);
    for (const old of this.root.children) if (old.textContent === text) old.remove();
    while (this.root.children.length >= MOST) this.root.firstElementChild?.remove();
    const toast = element("div", { class: `toast ${kind}`, role: kind === "problem" ? "alert" : "status" });
    const close = button({ label: "Close this message", icon: icon("close") }, () => toast.remove());
    toast.append(element("span", {}, text), close);
    this.root.append(toast);
    setTimeout(() => toast.remove(), kind === "problem" ? PROBLEM_MS : NOTE_MS);
  };
}
