import { element } from "./dom";

/** Say on the page why it cannot be shown; `page` is what it calls itself. */
export function explain(root: HTMLElement, reason: unknown, page = "This page"): void {
  const text = reason instanceof Error ? reason.message : String(reason);
  const advice = /webgl/i.test(text) ? `${page} needs WebGL, which this browser has turned off.` : text;
  root.replaceChildren(element("p", { class: "problem", role: "alert" }, advice));
}
