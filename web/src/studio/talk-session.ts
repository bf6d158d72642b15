import type { StudioApi } from "./api";
import { KeptSound } from "./kept-sound";
import { LatencyWindow } from "./latency-window";
import type { Speaking } from "./messages";
import { Microphone, MicrophoneError } from "./microphone";
import { soundPacket } from "./packets";
import { OFF, listens, next } from "./talk-state";
import type { TalkEvent, TalkState } from "./talk-state";

/** A talk from the microphone's opening to the take: who is told what, and when. */
export class TalkSession {
  onState: (state: TalkState, before: TalkState) => void = () => {};
  onSound: (samples: Float32Array) => void = () => {};
  readonly latency = new LatencyWindow();
  state: TalkState = OFF;
  /** How long the newest steps of the server took, in milliseconds; null before the first. */
  stepMs: number | null = null;
  speaking = false;
  readonly #api: StudioApi;
  readonly #microphone = new Microphone();
  #kept: KeptSound | null = null;
  #number = 0;
  #samples = 0;
  #rateHz = 0;
  #revision = 0;

  constructor(api: StudioApi) {
    this.#api = api;
    this.#microphone.onChunk = (samples) => this.#hear(samples);
    this.#microphone.onUnplugged = () => this.#unplugged();
    this.#follow(api);
  }

  /** Seconds of sound in this talk. */
  get seconds(): number {
    return this.#rateHz > 0 ? this.#samples / this.#rateHz : 0;
  }

  get device(): string {
    return this.#microphone.device;
  }

  /** Sound that a lost connection left in the page; null if there is none worth a take. */
  get rescued(): KeptSound | null {
    const { phase, trouble } = this.state;
    return phase === "off" && trouble === "lost" && this.#kept && this.#kept.seconds > 0.5 ? this.#kept : null;
  }

  async start(device: string, speaking: Speaking): Promise<void> {
    if (this.state.phase === "off") await this.#open(device, true);
    else this.#on({ type: "start" });
    // Asking takes as long as a person takes, and the connection may have gone meanwhile.
    if (this.state.phase !== "starting") return;
    if (!this.#api.connected) return this.#on({ type: "disconnected" });
    this.#kept = new KeptSound(this.#rateHz);
    this.#number = this.#samples = 0;
    this.stepMs = null;
    this.speaking = false;
    this.latency.clear();
    this.#api.send({ type: "talk-start", rate_hz: this.#rateHz, speaking });
  }

  /** Open the microphone to see its level, or close it again. */
  async check(device: string): Promise<void> {
    if (this.state.phase === "checking") this.#on({ type: "check" });
    else if (this.state.phase === "off") await this.#open(device, false);
  }

  /** Another device while the level is looked at. */
  async change(device: string): Promise<void> {
    if (this.state.phase !== "checking") return;
    this.#on({ type: "check" });
    await this.#open(device, false);
  }

  stop(keep: boolean): void {
    if (this.state.phase !== "talking" && this.state.phase !== "starting") return;
    this.#revision = this.#api.revision;
    this.#on({ type: keep ? "keep" : "discard" });
    this.#api.send({ type: "talk-stop", keep });
  }

  /** What was wrong has been read, or made good. */
  forget(): void {
    this.#kept = null;
    this.#to(OFF);
  }

  async #open(device: string, forTalk: boolean): Promise<void> {
    this.#on({ type: forTalk ? "start" : "check" });
    try {
      this.#rateHz = await this.#microphone.start(device);
      this.#on({ type: "opened", forTalk });
    } catch (error) {
      this.#on({ type: "failed", trouble: error instanceof MicrophoneError ? error.trouble : "busy" });
    }
  }

  #hear(samples: Float32Array<ArrayBuffer>): void {
    this.onSound(samples);
    const { phase } = this.state;
    // From the first chunk on: the server reads them in the order of sending, after `talk-start`.
    if ((phase !== "starting" && phase !== "talking") || !this.#kept) return;
    this.#api.sendBytes(soundPacket(this.#number, performance.now(), samples));
    this.#number += 1;
    this.#samples += samples.length;
    this.#kept.add(samples);
  }

  /** What was said until then is not lost: it becomes a take. */
  #unplugged(): void {
    const { phase } = this.state;
    const keep = phase === "talking";
    const detail = keep ? "The audio recorded until then becomes a take." : "";
    this.#on({ type: "failed", trouble: "unplugged", detail });
    if (keep || phase === "starting") this.#api.send({ type: "talk-stop", keep });
  }

  #follow(api: StudioApi): void {
    api.on("talking", (talking) => {
      if (this.state.phase === "talking" || this.state.phase === "starting") {
        if (talking.step_ms > 0) this.stepMs = talking.step_ms;
        this.speaking = talking.on && talking.speaking;
      }
      this.#on({ type: "heard", on: talking.on });
    });
    api.on("live", (live) => {
      if (this.state.phase === "talking") this.latency.add(performance.now(), live.stampMs);
    });
    api.on("take", (take) => {
      if (take.whole && !take.plain && take.revision > this.#revision) this.#on({ type: "take" });
    });
    api.on("job", (job) => {
      if (this.state.phase !== "keeping") return;
      if (job.state === "failed") this.#on({ type: "refused", text: job.text });
      if (job.state === "cancelled") this.#on({ type: "take" });
    });
    api.on("reply", (reply) => {
      if (reply.type === "request-failed" && reply.about.startsWith("talk-")) this.#on({ type: "refused", text: reply.text });
    });
    api.on("connected", (connected) => {
      if (!connected) this.#on({ type: "disconnected" });
    });
  }

  #on(event: TalkEvent): void {
    this.#to(next(this.state, event));
  }

  #to(state: TalkState): void {
    const before = this.state;
    if (state === before) return;
    this.state = state;
    if (!listens(state.phase) && state.phase !== "asking") this.#microphone.stop();
    this.onState(state, before);
  }
}
