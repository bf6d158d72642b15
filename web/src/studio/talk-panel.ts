import "./talk.css";

import { element } from "../dom";
import type { Panel, StudioApi } from "./api";
import { LevelMeter } from "./level-meter";
import { RecordedSound } from "./recorded-sound";
import { TalkSession } from "./talk-session";
import { TalkSettings } from "./talk-settings";
import { advice, listens } from "./talk-state";
import type { TalkPhase, TalkState } from "./talk-state";

const MAIN: Readonly<Record<TalkPhase, string>> = {
  off: "Start talking",
  checking: "Start talking",
  asking: "Waiting for the microphone",
  starting: "Starting",
  talking: "Stop and keep",
  keeping: "Making the take",
};
/** The live path should stay below this, in the 95th percentile. */
const GOOD_MS = 80;
const READINGS_A_SECOND = 5;

/** Talking to the character, by microphone or by a recording. */
export class TalkPanel implements Panel {
  readonly root = element("div", { class: "talk-panel" });
  readonly #api: StudioApi;
  readonly #session: TalkSession;
  readonly #meter = new LevelMeter();
  readonly #settings: TalkSettings;
  readonly #main = element("button", { type: "button", class: "talk-main" });
  readonly #discard = element("button", { type: "button", class: "talk-second", title: "End without a take" }, "Discard");
  readonly #check = element("button", { type: "button", class: "talk-second" });
  readonly #elapsed = element("span", { class: "talk-elapsed", role: "timer" }, "0:00.0");
  readonly #doing = element("span", { class: "talk-doing", role: "status" });
  readonly #latency = element("dd");
  readonly #step = element("dd");
  readonly #trouble = element("div", { class: "talk-trouble", role: "alert" });
  #visible = false;
  #readings = 0;

  constructor(api: StudioApi) {
    this.#api = api;
    this.#session = new TalkSession(api);
    this.#settings = new TalkSettings(api);
    this.#build();
    this.#session.onState = (state, before) => this.#show(state, before);
    this.#session.onSound = (samples) => this.#meter.hear(samples);
    this.#settings.onDevice = (id) => void this.#session.change(id);
    api.on("connected", () => this.#show(this.#session.state, this.#session.state));
    document.addEventListener("keydown", (event) => this.#key(event), { capture: true });
    this.#show(this.#session.state, this.#session.state);
  }

  shown(visible: boolean): void {
    this.#visible = visible;
    // Nobody looks at the level any more; a talk goes on, so that one can direct meanwhile.
    if (!visible && this.#session.state.phase === "checking") void this.#session.check("");
    if (visible) void this.#settings.findDevices(this.#session.device);
  }

  #build(): void {
    const readings = element("dl", { class: "talk-readings" });
    readings.append(
      element("dt", { title: "Latency from the microphone's audio to the displayed frame" }, "Latency"),
      this.#latency,
      element("dt", { title: "Computing time for the frames of one audio chunk" }, "Step"),
      this.#step,
    );
    const head = element("div", { class: "talk-head" }, this.#elapsed, this.#doing);
    const buttons = element("div", { class: "talk-buttons" }, this.#main, this.#discard, this.#check);
    const live = element("section", { class: "talk-live", "aria-label": "Microphone" });
    live.append(buttons, this.#trouble, head, this.#meter.root, readings, this.#settings.root);
    const recorded = new RecordedSound(this.#api, (text) => this.#settings.speaking(text));
    this.root.append(live, recorded.root);
    this.#main.addEventListener("click", () => this.#toggle());
    this.#discard.addEventListener("click", () => this.#session.stop(false));
    this.#check.addEventListener("click", () => void this.#session.check(this.#settings.device));
  }

  #toggle(): void {
    const { phase } = this.#session.state;
    if (phase === "talking") this.#session.stop(true);
    else if (this.#main.disabled) return;
    else void this.#session.start(this.#settings.device, this.#settings.speaking(""));
  }

  #key(event: KeyboardEvent): void {
    if (!this.#visible || event.key.toLowerCase() !== "m" || event.repeat) return;
    if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    // Here it talks; elsewhere it may mute.
    event.preventDefault();
    event.stopImmediatePropagation();
    this.#toggle();
  }

  #show(state: TalkState, before: TalkState): void {
    const { phase } = state;
    this.root.dataset["phase"] = phase;
    const idle = phase === "off" || phase === "checking";
    this.#main.replaceChildren(
      element("span", { class: "talk-lamp", "aria-hidden": "true" }),
      MAIN[phase],
      element("kbd", { "aria-hidden": "true" }, "M"),
    );
    this.#main.disabled = idle ? !this.#api.connected : phase !== "talking";
    this.#discard.hidden = phase !== "talking";
    this.#check.hidden = !idle;
    this.#check.textContent = phase === "checking" ? "Close microphone" : "Check level";
    this.#settings.locked = !idle;
    this.#showTrouble(state);
    this.#listen(listens(phase));
    if (phase === "talking" && before.phase !== "talking") void this.#settings.findDevices(this.#session.device);
    if (phase === "checking" && before.phase === "asking") void this.#settings.findDevices(this.#session.device);
    if (before.phase === "keeping" && phase === "off" && !state.trouble) {
      this.#api.say("The recording is a take now. Edit it like any other.");
    }
    this.#read();
  }

  #showTrouble(state: TalkState): void {
    const rescued = this.#session.rescued;
    this.#trouble.replaceChildren();
    if (state.trouble) this.#trouble.append(advice(state.trouble, state.detail));
    else if (!this.#api.connected) this.#trouble.append("Not connected. Talking is possible again after reconnecting.");
    if (!rescued) return;
    const seconds = rescued.seconds.toFixed(1);
    const use = element("button", { type: "button", class: "talk-rescue" }, `Make a take of the ${seconds} s`);
    use.disabled = !this.#api.connected;
    use.addEventListener("click", () => void this.#rescue(use));
    this.#trouble.append(" The recorded audio is kept. ", use);
  }

  async #rescue(control: HTMLButtonElement): Promise<void> {
    const kept = this.#session.rescued;
    if (!kept) return;
    control.disabled = true;
    try {
      const upload = await this.#api.upload(new Blob([kept.wav()], { type: "audio/wav" }), "talk.wav");
      this.#api.send({ type: "use-sound", upload, speaking: this.#settings.speaking("") });
      this.#session.forget();
    } catch (error) {
      control.disabled = false;
      this.#api.say(error instanceof Error ? error.message : String(error), "problem");
    }
  }

  #listen(on: boolean): void {
    if (on === (this.#readings !== 0)) return;
    if (on) {
      this.#meter.start();
      this.#readings = window.setInterval(() => this.#read(), 1000 / READINGS_A_SECOND);
    } else {
      this.#meter.stop();
      clearInterval(this.#readings);
      this.#readings = 0;
    }
  }

  #read(): void {
    const { phase } = this.#session.state;
    const talks = phase === "talking" || phase === "starting" || phase === "keeping";
    put(this.#elapsed, clock(talks ? this.#session.seconds : 0));
    put(this.#doing, this.#doingText(phase));
    const latency = phase === "talking" ? this.#session.latency.reading(performance.now()) : null;
    put(this.#latency, latency ? `${Math.round(latency.median)} ms, p95 ${Math.round(latency.p95)} ms` : "\u2013");
    this.#latency.classList.toggle("slow", latency !== null && latency.p95 > GOOD_MS);
    const step = phase === "talking" ? this.#session.stepMs : null;
    put(this.#step, step === null ? "\u2013" : `${step.toFixed(1)} ms`);
  }

  #doingText(phase: TalkPhase): string {
    if (listens(phase) && this.#meter.silent) return "No input signal: is the microphone muted?";
    if (phase === "checking") return "Speak as loud as you will: peaks between \u221218 and \u22126 dB are good";
    if (phase === "talking") return this.#session.speaking ? "Speaking" : "Listening";
    if (phase === "keeping") return "The recording becomes a take";
    if (phase === "asking") return "Allow the microphone in the browser\u2019s dialog";
    return phase === "off" ? "Talk, and the character moves with your voice. The recording is kept as a take." : "";
  }
}

function clock(seconds: number): string {
  const tenths = Math.floor(10 * seconds);
  const rest = tenths % 600;
  return `${Math.floor(tenths / 600)}:${rest < 100 ? "0" : ""}${(rest / 10).toFixed(1)}`;
}

function typing(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !["range", "checkbox", "radio", "button"].includes(target.type);
  return (
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement ||
    (target instanceof HTMLElement && target.isContentEditable)
  );
}

function put(where: HTMLElement, text: string): void {
  if (where.textContent !== text) where.textContent = text;
}
