import { button, element, press } from "./dom";
import { clockText, frameAt } from "./frames";
import { icon } from "./icons";

export interface TransportActs {
  playOrPause(): void;
  step(frames: number): void;
  seek(time: number): void;
  rate(rate: number): void;
  loop(on: boolean): void;
  mute(on: boolean): void;
}

/** Under the stage: play, step, scrub, speed, loop, sound. */
export class Transport {
  readonly root: HTMLElement;
  readonly #acts: TransportActs;
  readonly #fps: number;
  readonly #duration: number;
  readonly #lastFrame: number;
  readonly #play: HTMLButtonElement;
  readonly #loop: HTMLButtonElement;
  readonly #mute: HTMLButtonElement;
  readonly #scrub: HTMLInputElement;
  readonly #rate: HTMLInputElement;
  readonly #rateText: HTMLButtonElement;
  readonly #time = element("span", { class: "time" });
  readonly #frame = element("span", { class: "frame" });
  #playing = false;

  constructor(
    fps: number,
    duration: number,
    lastFrame: number,
    hasSound: boolean,
    acts: TransportActs,
  ) {
    this.#acts = acts;
    this.#fps = fps;
    this.#duration = duration;
    this.#lastFrame = lastFrame;
    this.#play = button({ label: "Play", icon: icon("play"), key: "space", className: "play" }, acts.playOrPause);
    this.#loop = button({ label: "Loop", icon: icon("loop"), key: "L" }, () => this.toggleLoop());
    this.#mute = button({ label: "Mute", icon: icon("sound"), key: "M" }, () => this.toggleMute());
    this.#scrub = this.#scrubBar();
    this.#rate = this.#rateSlider();
    this.#rateText = button({ label: "Back to normal speed", text: "1×", className: "rate" }, () => this.setRate(1));
    press(this.#loop, true);
    this.root = element("div", { class: "transport", role: "group", "aria-label": "Playback" });
    this.root.append(
      element("div", { class: "buttons" }, this.#stepButton(-1), this.#play, this.#stepButton(1)),
      element("div", { class: "where" }, element("div", { class: "reading" }, this.#time, this.#frame), this.#scrub),
      element("div", { class: "speed" }, this.#rate, this.#rateText),
      element("div", { class: "switches" }, this.#loop, ...(hasSound ? [this.#mute] : [])),
    );
    this.show(0, false);
  }

  show(time: number, playing: boolean): void {
    this.#scrub.value = String(time);
    this.#scrub.style.setProperty("--done", `${(100 * time) / Math.max(this.#duration, 1e-9)}%`);
    // Sound may go on when the movement is over; the last frame stays.
    const last = this.#lastFrame;
    const frame = Math.min(frameAt(time, this.#fps), last);
    this.#scrub.setAttribute("aria-valuetext", `${time.toFixed(2)} seconds, frame ${frame}`);
    this.#time.textContent = clockText(time);
    this.#frame.textContent = `${frame} / ${last}`;
    if (playing === this.#playing) return;
    this.#playing = playing;
    this.#play.replaceChildren(icon(playing ? "pause" : "play"));
    this.#play.setAttribute("aria-label", playing ? "Pause" : "Play");
    this.#play.title = `${playing ? "Pause" : "Play"} (space)`;
  }

  toggleLoop(): void {
    const on = this.#loop.getAttribute("aria-pressed") !== "true";
    press(this.#loop, on);
    this.#acts.loop(on);
  }

  toggleMute(): void {
    const on = this.#mute.getAttribute("aria-pressed") !== "true";
    press(this.#mute, on);
    this.#mute.replaceChildren(icon(on ? "muted" : "sound"));
    this.#acts.mute(on);
  }

  setRate(rate: number): void {
    this.#rate.value = String(rate);
    this.#rateText.textContent = `${Number(rate.toFixed(2))}×`;
    this.#acts.rate(rate);
  }

  #stepButton(by: number): HTMLButtonElement {
    const label = by < 0 ? "One frame back" : "One frame forward";
    const key = by < 0 ? "left arrow or ," : "right arrow or .";
    return button({ label, icon: icon(by < 0 ? "back" : "forward"), key }, () => this.#acts.step(by));
  }

  #scrubBar(): HTMLInputElement {
    const bar = element("input", {
      type: "range",
      class: "scrub",
      "aria-label": "Time",
      min: "0",
      max: String(this.#duration),
      step: "any",
    });
    bar.addEventListener("input", () => {
      const frame = frameAt(bar.valueAsNumber, this.#fps);
      this.#acts.seek(frame / this.#fps);
    });
    bar.addEventListener("pointerup", () => bar.blur());
    return bar;
  }

  #rateSlider(): HTMLInputElement {
    const slider = element("input", {
      type: "range",
      "aria-label": "Speed",
      title: "Speed",
      min: "0.1",
      max: "2",
      step: "0.05",
      value: "1",
    });
    slider.addEventListener("input", () => this.setRate(slider.valueAsNumber));
    slider.addEventListener("pointerup", () => slider.blur());
    return slider;
  }
}
