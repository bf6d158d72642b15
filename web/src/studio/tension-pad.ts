import { element } from "../dom";
import type { DirectingDraft } from "./directing-draft";
import type { Directing, TensionSetting, Welcome } from "./messages";
import { ResponsePlot } from "./response-plot";
import { set, svg } from "./svg";
import { ERROR_RANGE_M, ZETA_RANGE, errorAt, lengthText, placedLabels, xOfError, yOfZeta, zetaAt } from "./tension-scale";

const WIDTH = 164;
const HEIGHT = 134;
const MARKS_M = [0.01, 0.1];
const STILL_PIXELS = 4;
const USUAL: TensionSetting = { error_m: 0.035, zeta: 0.65 };

/** Rest error against zeta, with what that does beside it. */
export class TensionPad {
  readonly root = element("div", { class: "tension" });
  readonly #draft: DirectingDraft;
  readonly #pad = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "tension-pad", tabindex: 0, role: "application" });
  readonly #dot = svg("g", { class: "tension-dot" }, svg("circle", { r: 12, class: "halo" }), svg("circle", { r: 6 }));
  readonly #cross = svg("path", { class: "tension-cross" });
  readonly #plot = new ResponsePlot();
  readonly #own = element("input", { type: "checkbox", role: "switch", id: "tension-own" });
  readonly #error = element("input", { type: "number", id: "tension-error", min: "1", max: "300", step: "1" });
  readonly #zeta = element("input", { type: "number", id: "tension-zeta", min: "0.1", max: "1", step: "0.05" });
  /** What was last set, for when the switch is turned back. */
  #last: TensionSetting;
  /** Where the pointer was pressed, while it is; beyond all places once it has moved. */
  #pressed: { readonly x: number; readonly y: number } | null = null;

  constructor(welcome: Welcome, draft: DirectingDraft) {
    this.#draft = draft;
    const neutral = welcome.tensions["neutral"];
    this.#last = neutral ? { error_m: neutral[0], zeta: neutral[1] } : USUAL;
    this.#pad.append(...grid(), this.#cross, ...this.#presets(welcome), this.#dot);
    const own = element("label", { class: "tension-own", for: "tension-own" }, this.#own, "Default tension of each gesture");
    const numbers = element("div", { class: "tension-numbers" });
    numbers.append(
      element("label", { for: "tension-error", title: "Displacement of a resting hand under gravity: small is stiff" }, "Rest error"),
      element("span", {}, this.#error, "mm"),
      element("label", { for: "tension-zeta", title: "Damping ratio: 1 does not oscillate" }, "Zeta"),
      this.#zeta,
    );
    const pad = element("div", { class: "tension-field" }, this.#pad, ends());
    this.root.append(own, element("div", { class: "tension-both" }, pad, this.#plot.root), numbers);
    this.#listen();
  }

  show(directing: Directing): void {
    const { tension } = directing;
    if (tension) this.#last = tension;
    const { error_m, zeta } = tension ?? this.#last;
    const [x, y] = [WIDTH * xOfError(error_m), HEIGHT * (1 - yOfZeta(zeta))];
    set(this.#dot, { transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})` });
    set(this.#cross, { d: `M${x.toFixed(1)} 0V${HEIGHT}M0 ${y.toFixed(1)}H${WIDTH}` });
    set(this.#pad, { "aria-label": `Tension: ${tension ? `rest error ${lengthText(error_m)}, zeta ${zeta}` : "own"}. Arrows change it.` });
    this.#own.checked = tension === null;
    this.root.classList.toggle("own", tension === null);
    for (const [input, value] of [[this.#error, Number((1000 * error_m).toPrecision(3))], [this.#zeta, zeta]] as const) {
      if (document.activeElement !== input || Number(input.value) !== value) input.value = String(value);
    }
    this.#plot.show(error_m, zeta, tension === null);
  }

  #presets(welcome: Welcome): SVGElement[] {
    const presets = Object.entries(welcome.tensions).map(([name, [error_m, zeta]]) => ({
      name, error_m, zeta, x: WIDTH * xOfError(error_m), y: HEIGHT * (1 - yOfZeta(zeta)), width: 5.4 * name.length,
    }));
    const labels = placedLabels(presets, { width: WIDTH, height: HEIGHT });
    return presets.map((preset, i) => {
      const box = labels[i] ?? preset;
      const made = svg("g", { class: "tension-preset", role: "button", tabindex: 0, "aria-label": `Tension ${preset.name}` });
      made.append(
        svg("circle", { cx: preset.x, cy: preset.y, r: 9, class: "reach" }),
        svg("circle", { cx: preset.x, cy: preset.y, r: 3 }),
        svg("text", { x: box.x, y: box.y + 9.5, textLength: preset.width, lengthAdjust: "spacingAndGlyphs" }, preset.name),
      );
      made.addEventListener("pointerdown", (event) => this.#press(event, preset));
      made.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        event.stopPropagation();
        this.#set(preset, `tension ${preset.name}`);
      });
      return made;
    });
  }

  #listen(): void {
    this.#pad.addEventListener("pointerdown", (event) => this.#press(event, null));
    this.#pad.addEventListener("pointermove", (event) => {
      if (!this.#pressed) return;
      const { x, y } = this.#pressed;
      // A named tension stays exact until the pointer means to move.
      if (Math.hypot(event.clientX - x, event.clientY - y) < STILL_PIXELS) return;
      this.#pressed = { x: Infinity, y: Infinity };
      this.#at(event);
    });
    for (const name of ["pointerup", "pointercancel"] as const) {
      this.#pad.addEventListener(name, () => {
        if (this.#pressed) this.#draft.release();
        this.#pressed = null;
      });
    }
    this.#pad.addEventListener("keydown", (event) => this.#key(event));
    this.#own.addEventListener("change", () => this.#set(this.#own.checked ? null : this.#last, "own tension"));
    this.#error.addEventListener("change", () => this.#typed());
    this.#zeta.addEventListener("change", () => this.#typed());
  }

  /** At a named tension that one, else the place itself; from there on it is dragged. */
  #press(event: PointerEvent, preset: TensionSetting | null): void {
    if (event.button !== 0 || this.#pressed) return;
    this.#pad.setPointerCapture(event.pointerId);
    this.#pressed = { x: event.clientX, y: event.clientY };
    this.#draft.hold("tension");
    if (preset) this.#set(preset, "tension");
    else this.#at(event);
  }

  #at(event: PointerEvent): void {
    const box = this.#pad.getBoundingClientRect();
    const x = (event.clientX - box.left) / box.width;
    const y = 1 - (event.clientY - box.top) / box.height;
    this.#set({ error_m: errorAt(x), zeta: zetaAt(y) }, "tension");
  }

  #key(event: KeyboardEvent): void {
    const by = event.shiftKey ? 0.1 : 0.02;
    const steps: Readonly<Record<string, readonly [number, number]>> = {
      ArrowLeft: [-by, 0], ArrowRight: [by, 0], ArrowUp: [0, by], ArrowDown: [0, -by],
    };
    const step = steps[event.key];
    if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    const { error_m, zeta } = this.#draft.shown.tension ?? this.#last;
    this.#set({ error_m: errorAt(xOfError(error_m) + step[0]), zeta: zetaAt(yOfZeta(zeta) + step[1]) }, "tension by keys");
  }

  #typed(): void {
    const limited = (value: number, [low, high]: readonly [number, number], usual: number): number =>
      Number.isFinite(value) && value > 0 ? Math.min(Math.max(value, low), high) : usual;
    const error_m = limited(Number(this.#error.value) / 1000, ERROR_RANGE_M, this.#last.error_m);
    this.#set({ error_m, zeta: limited(Number(this.#zeta.value), ZETA_RANGE, this.#last.zeta) }, "tension by numbers");
  }

  #set(tension: TensionSetting | null, what: string): void {
    const next = tension && { error_m: tension.error_m, zeta: tension.zeta };
    this.#draft.change({ ...this.#draft.shown, tension: next }, what);
  }
}

function grid(): SVGElement[] {
  const lines = MARKS_M.map((metres) => {
    const x = WIDTH * xOfError(metres);
    return svg("line", { class: "response-grid", x1: x, x2: x, y1: 0, y2: HEIGHT });
  });
  const half = HEIGHT * (1 - yOfZeta(0.5));
  return [
    ...lines,
    svg("line", { class: "response-grid", x1: 0, x2: WIDTH, y1: half, y2: half }),
    svg("text", { class: "response-label", x: 4, y: 12 }, "calm"),
    svg("text", { class: "response-label", x: WIDTH - 4, y: HEIGHT - 5, "text-anchor": "end" }, "oscillating"),
  ];
}

/** Below the pad: what its sides mean, and a round number between. */
function ends(): HTMLElement {
  const middle = element("span", { class: "tension-mark" }, lengthText(0.01));
  middle.style.left = `${100 * xOfError(0.01)}%`;
  return element("div", { class: "tension-ends" }, element("span", {}, "stiff"), middle, element("span", {}, "loose"));
}
