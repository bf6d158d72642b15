import type { Rect } from "./framing";

/** Put the name of a figure over its view. */
export function placeLabel(label: HTMLElement, rect: Rect, top = rect.y): void {
  label.style.transform = `translate(${rect.x}px, ${top}px)`;
  label.style.width = `${rect.width}px`;
  label.style.height = `${rect.height}px`;
  label.classList.toggle("inner", rect.x > 0);
  label.classList.toggle("lower", rect.y > 0);
}
