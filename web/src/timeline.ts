import type { Colours } from "./colours";
import { element } from "./dom";
import type { SceneData } from "./page-data";
import { TimeRows } from "./time-rows";
import { rowsOf, type Waveform } from "./timeline-layout";

const MARGINS = { narrow: 92, wide: 112, right: 12 };

/** Rows of words, phases, prosody and sound of every scene. */
export class Timeline {
  readonly root = element("section", { class: "timeline", "aria-label": "Timeline" });
  readonly #rows: TimeRows;

  constructor(
    scenes: readonly SceneData[],
    waveforms: readonly (Waveform | null)[],
    duration: number,
    seek: (time: number) => void,
  ) {
    const rows = new TimeRows(this.root, MARGINS, seek);
    const laidOut = rowsOf(scenes, waveforms);
    const length = Math.max(duration, 1e-3);
    const zoom = element("div", { class: "zoom" }, ...rows.zoomButtons);
    this.#rows = rows;
    this.root.append(element("div", { class: "ruler" }, rows.ruler, zoom), rows.canvas, rows.playhead);
    this.root.hidden = laidOut.rows.length === 0;
    rows.canvas.setAttribute("aria-label", `Timeline with ${laidOut.rows.length} rows`);
    rows.fit(length, { start: 0, end: length });
    rows.show(laidOut);
  }

  paint(colours: Colours): void {
    this.#rows.paint(colours);
  }

  show(time: number): void {
    this.#rows.at(time);
  }
}
