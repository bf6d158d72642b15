import { ticks } from "../timeline-layout";
import type { TimelineRow } from "./messages";
import { RULER } from "./phrase-view";
import type { PhraseView } from "./phrase-view";
import { svg } from "./svg";

/** Lanes of phases by the names of their rows; takes of a voice have segments of both arms instead. */
const LANES: Readonly<Record<string, number>> = { "left-arm": 0, "right-arm": 1, arms: 0 };
const SIDES: Readonly<Record<string, string>> = { "left-arm": "left ", "right-arm": "right ", arms: "arms " };

/** What stands behind the curves: time, words, phases, and the middle. */
export function drawBackground(into: SVGGElement, view: PhraseView, rows: readonly TimelineRow[], arms: readonly string[]): void {
  const drawn: SVGElement[] = [svg("rect", { class: "phrase-ruler", x: 0, y: 0, width: view.width, height: RULER })];
  for (const row of rows) {
    const lane = LANES[row.name];
    if (lane !== undefined) drawn.push(...phases(view, row, lane, arms.includes(row.name)));
  }
  for (const value of [-1, 0, 1]) {
    const y = view.y(value);
    drawn.push(svg("line", { class: value === 0 ? "phrase-middle" : "phrase-edge", x1: 0, x2: view.width, y1: y, y2: y }));
  }
  for (const time of ticks(view.span, view.width, 56)) {
    const x = view.x(time);
    drawn.push(
      svg("line", { class: "phrase-tick", x1: x, x2: x, y1: RULER - 4, y2: RULER }),
      svg("text", { class: "phrase-time", x, y: RULER - 6, "text-anchor": "middle" }, tickText(time)),
    );
  }
  for (const row of rows) if (row.name === "words") drawn.push(...words(view, row));
  into.replaceChildren(...drawn);
}

function tickText(time: number): string {
  return String(Number(time.toFixed(2)));
}

/** A lane of phases; of an arm that the curve is for, its strokes also stand behind the curve. */
function phases(view: PhraseView, row: TimelineRow, lane: number, meant: boolean): SVGElement[] {
  const drawn: SVGElement[] = [];
  row.starts.forEach((start, i) => {
    const end = row.ends[i] ?? start;
    if (end < view.span.start || start > view.span.end) return;
    const label = row.labels[i] ?? "";
    const [x, width] = [view.x(start), Math.max(1, view.x(end) - view.x(start) - 1)];
    const kind = `phrase-phase ${row.name} ${label.includes("stroke") ? "stroke" : label.includes("hold") ? "hold" : ""}`;
    const title = `${SIDES[row.name] ?? ""}${label}, ${start.toFixed(2)} to ${end.toFixed(2)} s`;
    drawn.push(svg("rect", { class: kind, x, width, y: view.laneTop(lane), height: view.laneHeight, rx: 1.5 }, svg("title", {}, title)));
    if (!meant) return;
    if (label.includes("stroke")) {
      drawn.push(svg("rect", { class: `phrase-stroke ${row.name}`, x, width, y: view.top, height: view.bottom - view.top }));
    }
  });
  return drawn;
}

/** Words as far as there is room for them. */
function words(view: PhraseView, row: TimelineRow): SVGElement[] {
  const drawn: SVGElement[] = [];
  row.starts.forEach((start, i) => {
    const end = row.ends[i] ?? start;
    if (end < view.span.start || start > view.span.end) return;
    const [x, width] = [view.x(start), view.x(end) - view.x(start)];
    drawn.push(svg("line", { class: "phrase-word-edge", x1: x, x2: x, y1: view.wordsTop + 3, y2: view.top - 3 }));
    const label = row.labels[i] ?? "";
    const room = Math.floor((width - 4) / 5.6);
    if (room < Math.min(label.length, 5)) return;
    const text = label.length <= room ? label : `${label.slice(0, Math.max(1, room - 1))}\u2026`;
    drawn.push(svg("text", { class: "phrase-word", x: x + 3, y: view.wordsTop + 13 }, text, svg("title", {}, label)));
  });
  return drawn;
}
