type Attributes = Readonly<Record<string, string>>;

/** An element with attributes and children. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

export interface ButtonParts {
  /** What it does, read aloud and shown on hovering. */
  readonly label: string;
  readonly text?: string;
  readonly icon?: SVGElement;
  readonly key?: string;
  readonly className?: string;
}

/** A button; pressed with a pointer it gives the focus back, so that the space bar still plays. */
export function button(parts: ButtonParts, act: () => void): HTMLButtonElement {
  const title = parts.key ? `${parts.label} (${parts.key})` : parts.label;
  const made = element("button", { type: "button", title, class: parts.className ?? "" });
  if (parts.icon) made.append(parts.icon);
  if (parts.text) made.append(parts.text);
  else made.setAttribute("aria-label", parts.label);
  made.addEventListener("click", (event) => {
    act();
    if (event.detail > 0) made.blur();
  });
  return made;
}

export function press(control: HTMLButtonElement, on: boolean): void {
  control.setAttribute("aria-pressed", String(on));
}
