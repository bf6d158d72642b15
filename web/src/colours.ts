/** Colours of the current theme, from the style sheet. */
export interface Colours {
  readonly ink: string;
  readonly dim: string;
  readonly line: string;
  readonly panel: string;
  readonly chip: string;
  readonly accent: string;
  readonly left: string;
  readonly right: string;
  readonly floor: string;
  readonly grid: string;
}

export function coloursOf(element: Element): Colours {
  const style = getComputedStyle(element);
  const read = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    ink: read("ink"),
    dim: read("dim"),
    line: read("line"),
    panel: read("panel"),
    chip: read("chip"),
    accent: read("accent"),
    left: read("left"),
    right: read("right"),
    floor: read("floor"),
    grid: read("grid"),
  };
}
