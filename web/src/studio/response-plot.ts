import { element } from "../dom";
import { oscillations, overshootM, rampStopResponse, lagS } from "./response";
import { set, svg } from "./svg";

const WIDTH = 150;
const HEIGHT = 118;
const BEFORE_S = 0.15;
const AFTER_S = 1.05;
const STEPS = 240;
/** Heights of the plot in metres past the stop, of which the least that holds the overshoot is taken. */
const SCALES_M = [0.02, 0.05, 0.1, 0.2];
const STOP_Y = 66;

/** What a hand does that stops at 1 m/s: how far it goes past, and how often it swings. */
export class ResponsePlot {
  readonly root = element("figure", { class: "response" });
  readonly #path = svg("path", { class: "response-curve" });
  readonly #past = svg("path", { class: "response-past" });
  readonly #target = svg("path", { class: "response-target" });
  readonly #scale = svg("text", { class: "response-label", x: WIDTH - 2, "text-anchor": "end" });
  readonly #scaleLine = svg("line", { class: "response-grid", x1: 0, x2: WIDTH });
  readonly #text = element("figcaption");

  constructor() {
    const stop = timeX(0);
    const drawing = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": "Movement past a stop" });
    drawing.append(
      svg("line", { class: "response-grid", x1: stop, x2: stop, y1: 0, y2: HEIGHT }),
      this.#scaleLine,
      this.#past,
      this.#target,
      this.#path,
      this.#scale,
      svg("text", { class: "response-label", x: stop + 3, y: HEIGHT - 3 }, "stop"),
      svg("text", { class: "response-label", x: WIDTH - 2, y: HEIGHT - 3, "text-anchor": "end" }, "1 s"),
    );
    this.root.append(drawing, this.#text);
  }

  show(error_m: number, zeta: number, own: boolean): void {
    const overshoot = overshootM(error_m, zeta);
    const scale = SCALES_M.find((metres) => metres >= 1.15 * overshoot) ?? 0.2;
    const y = (metres: number): number => STOP_Y - (metres / scale) * (STOP_Y - 12);
    let [path, past] = ["", `M${timeX(0)} ${STOP_Y}`];
    for (let i = 0; i <= STEPS; i += 1) {
      const t = -BEFORE_S + (i / STEPS) * (BEFORE_S + AFTER_S);
      const place = t < 0 ? t - lagS(error_m, zeta) : rampStopResponse(t, error_m, zeta);
      path += `${i === 0 ? "M" : "L"}${timeX(t).toFixed(1)} ${y(place).toFixed(2)}`;
      if (t >= 0) past += `L${timeX(t).toFixed(1)} ${y(Math.max(place, 0)).toFixed(2)}`;
    }
    set(this.#path, { d: path });
    set(this.#past, { d: `${past}L${WIDTH} ${STOP_Y}Z` });
    set(this.#target, { d: `M0 ${y(-BEFORE_S).toFixed(1)}L${timeX(0)} ${STOP_Y}H${WIDTH}` });
    set(this.#scaleLine, { y1: y(scale), y2: y(scale) });
    set(this.#scale, { y: y(scale) + 10 });
    this.#scale.textContent = `+${100 * scale} cm`;
    this.root.classList.toggle("own", own);
    const text = own ? ["Each gesture keeps its own"] : predicted(overshoot, oscillations(zeta));
    this.#text.replaceChildren(...text.map((line) => element("span", {}, line)));
  }
}

function timeX(t: number): number {
  return ((t + BEFORE_S) / (BEFORE_S + AFTER_S)) * WIDTH;
}

/** Overshoot and swings in words. */
export function predicted(overshoot_m: number, swings: number): string[] {
  const cm = 100 * overshoot_m;
  const far = cm < 0.05 ? "No overshoot" : `${cm.toFixed(1)} cm overshoot`;
  const count = Math.round(swings);
  return [far, count === 0 ? "no oscillation" : `about ${count} oscillation${count === 1 ? "" : "s"}`];
}
