import { FACTORS, applies } from "./factors";
import type { Factor } from "./factors";
import type { DirectSelection } from "./direct-selection";
import type { Directing } from "./messages";
import { curveOf, pathOf } from "./phrase-curves";
import type { Curve } from "./phrase-curves";
import type { PhraseView } from "./phrase-view";
import { svg } from "./svg";

/** A factor's curve in the first of the parts that are worked on. */
export function shownCurve(directing: Directing, selection: DirectSelection, factor: Factor): Curve {
  return curveOf(directing.phrase, selection.parts[0] ?? "", factor.name);
}

/** What a slider says of a factor, which holds where there are no points. */
export function levelOf(directing: Directing, selection: DirectSelection, factor: Factor): number {
  return directing.parts[selection.parts[0] ?? ""]?.[factor.name] ?? 0;
}

/** The curves of all factors, the active one on top. */
export class PhraseLines {
  readonly root = svg("g");

  show(directing: Directing, selection: DirectSelection, view: PhraseView, duration: number): void {
    const { factor, parts } = selection;
    const others = FACTORS.filter((other) => other !== factor && applies(other, parts));
    const drawn = [...others, factor].flatMap((each) => {
      const curve = shownCurve(directing, selection, each);
      if (curve.length === 0 && each !== factor) return [];
      // Without points the active factor is level, and gets its first one there.
      const shown = curve.length > 0 ? curve : [{ time: 0, value: levelOf(directing, selection, each) }];
      const d = pathOf(shown, view.x, view.y, Math.min(0, view.span.start), Math.max(duration, view.span.end));
      return line(each, d, each === factor, curve.length === 0);
    });
    this.root.replaceChildren(...drawn);
  }
}

/** A line, and a wider one that nobody sees, to hit. */
function line(factor: Factor, d: string, active: boolean, level: boolean): SVGElement[] {
  const kind = `${active ? " active" : ""}${level ? " level" : ""}`;
  return [
    svg("path", { class: `phrase-curve factor-${factor.name}${kind}`, d }),
    svg("path", { class: "phrase-hit", d, "data-factor": factor.name }, svg("title", {}, factor.label)),
  ];
}
