import { element } from "../dom";
import { FLOOR_DB, LevelBallistics, loudnessOf, onScale } from "./level-ballistics";

const MARKS_DB = [-48, -36, -24, -12, 0];

/** A level meter that runs on what the page hears itself. */
export class LevelMeter {
  readonly root = element("div", { class: "level" });
  readonly #ballistics = new LevelBallistics();
  readonly #meter = element("div", {
    class: "level-track",
    role: "meter",
    "aria-label": "Level in decibels",
    "aria-valuemin": String(FLOOR_DB),
    "aria-valuemax": "0",
  });
  readonly #cover = element("div", { class: "level-cover" });
  readonly #peak = element("div", { class: "level-peak" });
  /** The highest peak of late, or that the sound was too loud. */
  readonly #reading = element("span", { class: "level-reading" });
  #frame = 0;
  #told = 0;

  constructor() {
    const scale = element("div", { class: "level-scale", "aria-hidden": "true" });
    for (const db of MARKS_DB) {
      const mark = element("span", {}, db === 0 ? "0 dB" : `\u2212${-db}`);
      mark.style.left = `${100 * onScale(db)}%`;
      scale.append(mark);
    }
    this.#meter.append(this.#cover, this.#peak);
    this.root.append(this.#meter, this.#reading, scale);
    this.#show(0);
  }

  hear(samples: Float32Array): void {
    this.#ballistics.hear(loudnessOf(samples), performance.now() / 1000);
  }

  /** Whether nothing at all has come in for a while. */
  get silent(): boolean {
    return this.#ballistics.silent(performance.now() / 1000);
  }

  start(): void {
    if (this.#frame !== 0) return;
    const step = (ms: number): void => {
      this.#show(ms / 1000);
      this.#frame = requestAnimationFrame(step);
    };
    this.#frame = requestAnimationFrame(step);
    this.root.classList.add("lives");
  }

  stop(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#ballistics.reset();
    this.root.classList.remove("lives");
    this.#show(0);
  }

  #show(time: number): void {
    const meter = this.#ballistics;
    meter.advance(time);
    this.#cover.style.transform = `scaleX(${1 - onScale(meter.level_db)})`;
    const peak = onScale(meter.peak_db);
    this.#peak.style.left = `${100 * peak}%`;
    this.#peak.hidden = peak === 0;
    const clipped = meter.clipped(time);
    this.#reading.classList.toggle("clipped", clipped);
    if (Math.abs(time - this.#told) < 0.2 && time !== 0) return;
    this.#told = time;
    const now = Math.max(FLOOR_DB, Math.round(meter.level_db));
    this.#meter.setAttribute("aria-valuenow", String(now));
    const text = clipped ? "clipped" : peak === 0 ? "peak" : `\u2212${Math.round(-meter.peak_db)} dB`;
    if (this.#reading.textContent !== text) this.#reading.textContent = text;
    this.#reading.title = clipped ? "The input was clipped: move away from the microphone or lower its gain" : "Highest peak";
  }
}
