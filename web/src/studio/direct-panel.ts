import "./direct.css";

import { button, element } from "../dom";
import type { Panel, StudioApi } from "./api";
import { DirectSelection } from "./direct-selection";
import { DirectingDraft } from "./directing-draft";
import { partsOf } from "./factors";
import { MannerField } from "./manner-field";
import type { Directing, MenuChoice } from "./messages";
import { PhraseEditor } from "./phrase-editor";
import { QualitySliders } from "./quality-sliders";
import { Segments } from "./segments";
import { TensionPad } from "./tension-pad";

const PARTS: readonly MenuChoice[] = [
  { name: "arms", label: "Both arms", group: "" },
  { name: "left-arm", label: "Left arm", group: "" },
  { name: "right-arm", label: "Right arm", group: "" },
  { name: "torso", label: "Torso", group: "" },
];
const PHYSICS = [
  { name: "off", label: "Off" },
  { name: "wrists", label: "Wrists" },
  { name: "body", label: "Body" },
] as const;
/** How it is done: manner, Effort and Shape, curves of them, tension and physics. */
export class DirectPanel implements Panel {
  readonly root = element("div", { class: "direct-panel" });
  /** The phrase editor, which the page may put where there is more room; it starts inside the panel. */
  readonly wide: HTMLElement;
  readonly #api: StudioApi;
  readonly #draft: DirectingDraft;
  readonly #selection: DirectSelection;
  readonly #parts: readonly MenuChoice[];
  readonly #part: Segments;
  readonly #manner: MannerField;
  readonly #sliders: QualitySliders;
  readonly #phrase: PhraseEditor;
  readonly #tension: TensionPad;
  readonly #physics = new Segments("Physics", PHYSICS);
  readonly #physicsHint = element("p", { class: "direct-hint" });
  readonly #reset: HTMLButtonElement;

  constructor(api: StudioApi) {
    this.#api = api;
    this.#parts = api.welcome.parts.length > 0 ? api.welcome.parts : PARTS;
    this.#draft = new DirectingDraft(api.document.directing, (directing, group) =>
      api.send({ type: "direct", directing, group }),
    );
    const first = this.#parts.find((part) => partsOf(part.name).length === 2) ?? this.#parts[0];
    this.#selection = new DirectSelection(first?.name ?? "arms");
    this.#part = new Segments("Part of the body", this.#parts);
    this.#manner = new MannerField(api, this.#draft);
    this.#sliders = new QualitySliders(this.#draft, this.#selection);
    this.#phrase = new PhraseEditor(api, this.#parts, this.#draft, this.#selection);
    this.#tension = new TensionPad(api.welcome, this.#draft);
    this.wide = this.#phrase.root;
    this.#reset = button({ label: "Reset Effort and Shape of all parts", text: "Reset all" }, () =>
      this.#draft.change({ ...this.#draft.shown, parts: {} }, "reset all"),
    );
    this.#build();
    this.#follow();
    this.#show(this.#draft.shown);
  }

  shown(visible: boolean): void {
    if (visible) this.#phrase.takeChanged();
  }

  #build(): void {
    const compare = element("p", { class: "direct-hint" }, element("kbd", {}, "B"), " compares with the unmodified take.");
    const gone = element("p", { class: "direct-hint phrase-elsewhere" }, "The curves are below the stage.");
    this.root.append(
      compare,
      section("Manner", [this.#manner.root]),
      section("Effort and Shape", [this.#part.root, this.#sliders.root], this.#reset),
      section("Phrase", [element("div", { class: "phrase-slot" }, this.wide, gone)]),
      section("Tension", [this.#tension.root]),
      section("Physics", [this.#physics.root, this.#physicsHint]),
    );
  }

  #follow(): void {
    const { draft, api } = { draft: this.#draft, api: this.#api };
    draft.onChange = (directing) => this.#show(directing);
    this.#part.onChange = (name) => this.#selection.select(name);
    this.#selection.onChange(() => {
      this.#phrase.selectionChanged();
      this.#show(draft.shown);
    });
    this.#physics.onChange = (name) => {
      const physics = PHYSICS.find((choice) => choice.name === name)?.name ?? "off";
      draft.change({ ...draft.shown, physics }, "physics");
    };
    api.on("changed", (changed) => draft.agree(changed.document.directing));
    api.on("take", () => this.#phrase.takeChanged());
    api.on("connected", (connected) => {
      this.root.classList.toggle("offline", !connected);
      this.root.inert = this.wide.inert = !connected;
      draft.giveUp(api.document.directing);
    });
    api.on("reply", (reply) => {
      if (reply.type === "request-failed" && reply.about === "direct") draft.giveUp(api.document.directing);
    });
    api.on("time", () => {
      this.#phrase.timeChanged();
      if (draft.shown.phrase.length > 0) this.#sliders.show(draft.shown, api.time);
    });
  }

  #show(directing: Directing): void {
    this.#part.value = this.#selection.choice;
    for (const part of this.#parts) {
      const changed = partsOf(part.name).some(
        (name) => directing.parts[name] !== undefined || directing.phrase.some((point) => point.part === name),
      );
      this.#part.mark(part.name, changed && partsOf(part.name).length === 1);
    }
    this.#reset.disabled = Object.keys(directing.parts).length === 0;
    this.#manner.show(directing);
    this.#sliders.show(directing, this.#api.time);
    this.#phrase.show();
    this.#tension.show(directing);
    this.#physics.value = directing.physics;
    this.#physicsHint.textContent = physicsHint(directing);
  }
}

function physicsHint({ physics, tension }: Directing): string {
  if (physics === "body") return "The whole body is simulated. That takes a few seconds after each change.";
  if (physics === "wrists") return "The hands follow as masses on springs: they overshoot and settle according to the tension.";
  return tension ? "Only the hands are simulated, with the tension set above." : "No simulation: movements are performed exactly.";
}

function section(title: string, content: readonly HTMLElement[], act?: HTMLElement): HTMLElement {
  const made = element("section", { class: "direct-section", "aria-label": title });
  const head = element("div", { class: "direct-head" }, element("h3", {}, title));
  if (act) head.append(act);
  made.append(head, ...content);
  return made;
}
