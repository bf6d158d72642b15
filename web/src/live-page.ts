import { Vector3 } from "three";

import { coloursOf } from "./colours";
import { element } from "./dom";
import { DrawLoop } from "./draw-loop";
import { standing, type ViewName } from "./framing";
import { placeLabel } from "./labels";
import { FrameBuffer } from "./live-buffer";
import type { LiveData } from "./live-data";
import { type BodySize, frameOf, type Message } from "./live-frames";
import { Playout } from "./live-playout";
import { Rate } from "./live-rate";
import { StatusLine } from "./live-status";
import type { LiveStream } from "./live-stream";
import type { PosedFigure } from "./posed-figure";
import { Stage } from "./stage";
import { Theme } from "./theme";
import { Toolbar } from "./toolbar";

const STATUS_MS = 250;
const VIEW_KEYS: Readonly<Record<string, ViewName>> = { "1": "angle", "2": "front", "3": "side", "4": "top" };

/** The whole live page: takes messages, and draws while there is something new to see. */
export class LivePage {
  readonly buffer = new FrameBuffer();
  readonly playout = new Playout();
  readonly status = new StatusLine();
  received = 0;
  skipped = 0;
  note = "";
  readonly #data: LiveData;
  readonly #size: BodySize;
  readonly #figures: readonly PosedFigure[];
  readonly #stream: LiveStream;
  readonly #stage: Stage;
  readonly #toolbar: Toolbar;
  readonly #area = element("main", { class: "stage" });
  readonly #labels: readonly HTMLElement[];
  readonly #theme = new Theme();
  readonly #loop = new DrawLoop(
    () => {
      this.draw();
      return (this.playout.time ?? 0) < (this.buffer.newest ?? 0);
    },
    (level) => {
      this.#stage.level = level;
      this.#arrange();
    },
  );
  readonly #incoming = new Rate();
  readonly #drawn = new Rate();
  readonly #place = new Vector3();
  #number: number | null = null;

  constructor(root: HTMLElement, data: LiveData, figures: readonly PosedFigure[], stream: LiveStream) {
    this.#data = data;
    this.#size = { joints: data.joints.length, shapes: data.shapes.length };
    this.#figures = figures;
    this.#stream = stream;
    const canvas = element("canvas", { "aria-label": "The live figure. Drag to turn, wheel or pinch to zoom.", role: "img" });
    const tall = Math.max(...figures.map(({ box }) => box.max.y));
    this.#stage = new Stage(canvas, "each");
    this.#stage.put(figures);
    this.#stage.furnish(standing(tall), tall);
    this.#toolbar = this.#makeToolbar();
    this.#labels = figures.length > 1 ? figures.map((_, i) => label(`Character ${i + 1}`)) : [];
    this.#area.append(canvas, ...this.#labels);
    root.replaceChildren(this.#toolbar.root, this.#area, this.status.root);
    this.#listen();
  }

  get fps(): number {
    return this.#incoming.at(seconds());
  }

  get drawn(): number {
    return this.#drawn.at(seconds());
  }

  /** Show the present moment at once, whatever the browser's rhythm. */
  draw(): void {
    const now = seconds();
    const { newest } = this.buffer;
    if (newest !== null) this.#pose(this.playout.tick(now, newest));
    this.#stage.draw();
    this.#toolbar.showView(this.#stage.view);
    this.#drawn.note(now);
  }

  readonly take = (message: Message): void => {
    if (message.kind === "hello") this.#greet(text(message));
    if (message.kind === "frame") this.#takeFrame(message);
    if (message.kind === "note") {
      this.note = text(message);
      this.status.note = this.note;
    }
  };

  jointPosition(character: number, joint: string): [number, number, number] {
    const found = this.#figures[character]?.position(joint, this.#place);
    if (!found) throw new Error(`character ${character} has no joint named ${joint}`);
    return [found.x, found.y, found.z];
  }

  shapeWeight(character: number, shape: string): number {
    return this.#figures[character]?.weight(shape) ?? 0;
  }

  /** A connection begins. A sender that was started anew may need another page than this one. */
  #greet(name: string): void {
    if (name !== this.#data.name) location.reload();
    this.buffer.clear();
    this.playout.reset();
    this.#number = null;
  }

  #takeFrame(message: Message): void {
    const now = seconds();
    const frame = frameOf(message.content, this.#size);
    if (this.buffer.add(frame)) this.playout.reset();
    this.playout.note(frame.time, now);
    this.#incoming.note(now);
    this.received += 1;
    if (this.#number !== null) this.skipped += Math.max(frame.number - this.#number - 1, 0);
    this.#number = frame.number;
    this.#loop.ask();
  }

  #pose(time: number): void {
    this.buffer.find(time);
    const { before, after, ratio } = this.buffer;
    if (!before || !after) return;
    const shared = Math.min(this.#figures.length, before.bodies.count, after.bodies.count);
    for (let i = 0; i < shared; i += 1) this.#figures[i]?.takeBetween(before.bodies, i, after.bodies, i, ratio);
  }

  #look(name: ViewName): void {
    this.#stage.view = name;
    this.#loop.ask();
  }

  #arrange(): void {
    this.#stage.resize(this.#area.clientWidth, this.#area.clientHeight);
    this.#labels.forEach((made, i) => {
      const rect = this.#stage.rects[i];
      if (rect) placeLabel(made, rect);
    });
  }

  /** At once: the canvas is empty after its size has changed. */
  readonly #resize = (): void => {
    this.#arrange();
    this.draw();
  };

  #repaint(): void {
    this.#stage.paint(coloursOf(document.documentElement), this.#theme.name === "dark");
    this.#toolbar.showTheme(this.#theme.name);
    this.#loop.ask();
  }

  #showStatus(): void {
    const now = seconds();
    const fps = this.#incoming.at(now);
    const coming = this.#stream.state === "live" && fps > 0;
    const drawn = this.#drawn.at(now);
    this.status.show(coming ? { fps, drawn, delay_s: this.playout.delay, skipped: this.skipped } : null);
  }

  #listen(): void {
    this.#stage.onChange = () => this.#loop.ask();
    this.#theme.onChange = () => this.#repaint();
    this.#stream.onMessage = this.take;
    this.#stream.onState = (state) => {
      this.status.state = state;
      this.#area.classList.toggle("away", state !== "live");
      this.#showStatus();
    };
    document.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const view = VIEW_KEYS[event.key];
      if (view) this.#look(view);
      if (event.key.toLowerCase() === "t") this.#theme.toggle();
    });
    setInterval(() => this.#showStatus(), STATUS_MS);
    this.#repaint();
    this.#resize();
    new ResizeObserver(this.#resize).observe(this.#area);
  }

  #makeToolbar(): Toolbar {
    const { title, shown, characters } = this.#data;
    const some = characters > shown ? `${title} · ${shown} of ${characters}` : title;
    const parts = { title: some, several: false, travels: false, follow: false, hands: false };
    const nothing = (): void => {};
    const acts = { paths: nothing, overlay: nothing, follow: nothing };
    return new Toolbar(parts, { ...acts, view: (name) => this.#look(name), theme: () => this.#theme.toggle() });
  }
}

function seconds(): number {
  return performance.now() / 1000;
}

function text(message: Message): string {
  return new TextDecoder().decode(message.content);
}

function label(title: string): HTMLElement {
  return element("div", { class: "label" }, element("span", {}, title));
}
