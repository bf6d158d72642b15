import { element } from "../dom";
import type { StudioApi } from "./api";
import type { Speaking } from "./messages";
import { SoundFile, soundProblem } from "./sound-file";

/** A recording in place of the microphone, with what is said in it if that is known. */
export class RecordedSound {
  readonly root = element("section", { class: "recorded", "aria-labelledby": "recorded-title" });
  readonly #api: StudioApi;
  readonly #speaking: (text: string) => Speaking;
  readonly #drop = new SoundFile();
  readonly #text = element("textarea", {
    id: "recorded-text",
    rows: "3",
    placeholder: "The words spoken in the recording, if known",
  });
  readonly #hint = element("p", { class: "talk-hint" });
  readonly #problem = element("p", { class: "talk-trouble", role: "alert" });
  readonly #make = element("button", { type: "button", class: "recorded-make" }, "Make a take");
  #file: File | null = null;
  /** The upload of the file, once there is one: another transcript does not send it again. */
  #upload = "";
  #busy = false;

  constructor(api: StudioApi, speaking: (text: string) => Speaking) {
    this.#api = api;
    this.#speaking = speaking;
    const label = element("label", { for: "recorded-text" }, "Transcript (optional)");
    const title = element("h3", { id: "recorded-title" }, "Use a recording");
    this.root.append(title, this.#drop.root, label, this.#text, this.#hint, this.#problem, this.#make);
    this.#text.maxLength = api.welcome.longest_text;
    this.#drop.onFile = (file) => this.#choose(file);
    this.#text.addEventListener("input", () => this.#show());
    this.#make.addEventListener("click", () => void this.use());
    api.on("connected", () => {
      // Another server does not know the upload.
      this.#upload = "";
      this.#show();
    });
    this.#show();
  }

  async use(): Promise<void> {
    if (!this.#file || this.#busy) return;
    this.#busy = true;
    this.#problem.textContent = "";
    this.#show();
    try {
      this.#upload ||= await this.#api.upload(this.#file, this.#file.name);
      const speaking = this.#speaking(this.#text.value.trim());
      this.#api.send({ type: "use-sound", upload: this.#upload, speaking });
    } catch (error) {
      this.#problem.textContent = error instanceof Error ? error.message : String(error);
    }
    this.#busy = false;
    this.#show();
  }

  #choose(file: File): void {
    const problem = soundProblem(file.name, file.size, this.#api.welcome.uploads);
    this.#problem.textContent = problem;
    if (!problem) {
      this.#file = file;
      this.#upload = "";
      this.#drop.show(file);
    }
    this.#show();
    if (!problem) this.#make.focus();
  }

  #show(): void {
    const offline = !this.#api.connected;
    this.#drop.disabled = this.#busy;
    this.#make.disabled = !this.#file || this.#busy || offline;
    this.#make.textContent = this.#busy ? "Uploading the recording" : "Make a take";
    this.#hint.textContent = this.#text.value.trim()
      ? "Gestures will follow these words."
      : "Without a transcript, the motion follows the prosody of the voice.";
  }
}
