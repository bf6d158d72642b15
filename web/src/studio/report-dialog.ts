import { element } from "../dom";
import { openDialog } from "./dialogs";
import type { Report } from "./messages";

/** A page of the server inside the studio; it can run its own scripts and reach nothing else. */
export function showReport({ title, url }: Report): HTMLDialogElement {
  const frame = element("iframe", { src: url, title, sandbox: "allow-scripts" });
  return openDialog(title, "report", frame);
}
