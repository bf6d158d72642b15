import { element } from "../dom";
import { openDialog } from "./dialogs";
import { OTHER_KEYS, SHORTCUTS } from "./shortcuts";

/** Every key of the studio. */
export function showHelp(program: string): HTMLDialogElement {
  const all: (readonly [string, string])[] = [...SHORTCUTS.map(({ keys, says }) => [keys, says] as const), ...OTHER_KEYS];
  const list = element("dl", { class: "keys" });
  for (const [keys, says] of all) {
    const names = element("dt");
    keys.split(", ").forEach((one, i) => {
      if (i) names.append(" or ");
      one.split(" ").forEach((key) => names.append(element("kbd", {}, key), " "));
    });
    list.append(element("div", {}, names, element("dd", {}, says)));
  }
  return openDialog("Keyboard", "help", list, element("p", { class: "hint" }, `Kinesphere ${program}`.trim()));
}
