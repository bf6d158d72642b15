import { button, element } from "../dom";
import { icon } from "../icons";

/** A modal window with a title and a close button; Escape closes it too. */
export function openDialog(title: string, className: string, ...content: (Node | string)[]): HTMLDialogElement {
  const close = button({ label: "Close", icon: icon("close"), key: "Esc" }, () => dialog.close());
  const heading = element("h2", {}, title);
  const dialog = element("dialog", { class: className, "aria-label": title });
  dialog.append(element("header", {}, heading, close), ...content);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

export interface Answer {
  readonly value: string;
  readonly label: string;
  readonly hint?: string;
}

/** Ask a person to choose; resolves to the value, or null if they would rather not. */
export function ask(title: string, text: string, answers: readonly Answer[]): Promise<string | null> {
  return new Promise((resolve) => {
    let chosen: string | null = null;
    const choices = answers.map(({ value, label, hint }) => {
      const choice = button({ label, text: label, className: "choice" }, () => {
        chosen = value;
        dialog.close();
      });
      choice.dataset["answer"] = value;
      if (hint) choice.append(element("small", {}, hint));
      return choice;
    });
    const dialog = openDialog(title, "ask", element("p", {}, text), element("div", { class: "choices" }, ...choices));
    dialog.addEventListener("close", () => resolve(chosen));
    choices[0]?.focus();
  });
}

/** Ask for a name; resolves to it, or null. */
export function askName(title: string, text: string, value: string): Promise<string | null> {
  return new Promise((resolve) => {
    let chosen: string | null = null;
    const input = element("input", { type: "text", value, maxlength: "40", required: "", "aria-label": text });
    const form = element("form", { method: "dialog" }, element("p", {}, text), input);
    form.append(element("div", { class: "row" }, element("button", { type: "submit", class: "primary" }, "Go on")));
    form.addEventListener("submit", () => {
      chosen = input.value.trim() || null;
    });
    const dialog = openDialog(title, "ask", form);
    dialog.addEventListener("close", () => resolve(chosen));
    input.select();
  });
}
