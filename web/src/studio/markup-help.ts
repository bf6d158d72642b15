import { button, element } from "../dom";
import { openDialog } from "./dialogs";
import type { MenuChoice } from "./messages";

/** What a text can say besides words; a press puts it where the cursor is. */
export function openMarkupHelp(markup: readonly MenuChoice[], insert: (tag: string) => void): void {
  const groups = new Map<string, HTMLElement>();
  const content = element("div", { class: "markup" });
  for (const { name, label, group } of markup) {
    const list = groups.get(group) ?? element("div", { class: "markup-group" });
    if (!groups.has(group)) {
      if (group) content.append(element("h3", {}, group));
      content.append(list);
      groups.set(group, list);
    }
    const choice = button({ label: `Insert ${name}`, className: "markup-choice" }, () => {
      dialog.close();
      insert(name);
    });
    choice.append(element("code", {}, name), element("span", {}, label));
    list.append(choice);
  }
  if (markup.length === 0) content.append(element("p", { class: "hint" }, "This text has no markup options."));
  const dialog = openDialog("Markup in the text", "markup-dialog", content);
}
