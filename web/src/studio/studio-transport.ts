import { button, element, press } from "../dom";
import { clockText } from "../frames";
import { icon } from "../icons";
import type { Player } from "./player";

const RATES = [0.1, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 2];

/** Between stage and timeline: play, step, time, speed, loop, sound. */
export class StudioTransport {
  readonly root = element("div", { class: "transport", role: "group", "aria-label": "Playback" });
  readonly #player: Player;
  readonly #play: HTMLButtonElement;
  readonly #loop: HTMLButtonElement;
  readonly #mute: HTMLButtonElement;
  readonly #time = element("span", { class: "time" });
  readonly #length = element("span", { class: "frame" });
  readonly #steps: readonly HTMLButtonElement[];
  #playing: boolean | null = null;

  /** `middle` has what room there is, `more` goes to the right end. */
  constructor(player: Player, middle: HTMLElement, ...more: HTMLElement[]) {
    this.#player = player;
    this.#play = button({ label: "Play", icon: icon("play"), key: "Space", className: "play" }, player.playOrPause);
    this.#loop = button({ label: "Loop", icon: icon("loop"), key: "L" }, () => this.toggleLoop());
    this.#mute = button({ label: "Mute", icon: icon("sound"), key: "S" }, () => this.toggleMute());
    const back = button({ label: "One frame back", icon: icon("back"), key: "←" }, () => player.step(-1));
    const on = button({ label: "One frame forward", icon: icon("forward"), key: "→" }, () => player.step(1));
    this.#steps = [back, on];
    press(this.#loop, player.loop);
    press(this.#mute, false);
    this.root.append(
      element("div", { class: "buttons" }, back, this.#play, on),
      element("div", { class: "reading" }, this.#time, this.#length),
      middle,
      this.#speed(),
      element("div", { class: "switches" }, this.#loop, this.#mute),
      ...more,
    );
  }

  toggleLoop(): void {
    this.#player.loop = !this.#player.loop;
    press(this.#loop, this.#player.loop);
  }

  toggleMute(): void {
    this.#player.muted = !this.#player.muted;
    press(this.#mute, this.#player.muted);
    this.#mute.replaceChildren(icon(this.#player.muted ? "muted" : "sound"));
  }

  /** The parts that change seldom. */
  fit(enabled: boolean): void {
    for (const control of [this.#play, ...this.#steps]) control.disabled = !enabled;
    this.#mute.hidden = !this.#player.hasSound;
    this.#length.textContent = `/ ${clockText(this.#player.clock.duration)}`;
  }

  show(time: number, playing: boolean): void {
    this.#time.textContent = clockText(time);
    if (playing === this.#playing) return;
    this.#playing = playing;
    this.#play.replaceChildren(icon(playing ? "pause" : "play"));
    this.#play.setAttribute("aria-label", playing ? "Pause" : "Play");
    this.#play.title = `${playing ? "Pause" : "Play"} (Space)`;
  }

  #speed(): HTMLElement {
    const select = element("select", { "aria-label": "Speed", title: "Speed", class: "rate" });
    for (const rate of RATES) select.append(element("option", { value: String(rate) }, `${rate}×`));
    select.value = "1";
    select.addEventListener("change", () => {
      this.#player.rate = Number(select.value);
      select.blur();
    });
    return select;
  }
}
