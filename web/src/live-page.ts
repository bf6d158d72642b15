import { bytesFromBase64 } from "./base64";
import { coloursOf } from "./colours";
import { element } from "./dom";
import type { ViewName } from "./framing";
import { FrameBuffer } from "./live-buffer";
import type { LiveData } from "./live-data";
import type { LiveFigure } from "./live-figure";
import { type BodySize, bodyOf, frameOf, type Message } from "./live-frames";
import { Playout } from "./live-playout";
import { emptyPose, mix, type Pose } from "./live-pose";
import { Rate } from "./live-rate";
import { StatusLine } from "./live-status";
import type { LiveStream } from "./live-stream";
import { Quality } from "./quality";
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
  readonly #figures: readonly LiveFigure[];
  readonly #poses: readonly Pose[];
  readonly #stream: LiveStream;
  readonly #stage: Stage;
  readonly #toolbar: Toolbar;
  readonly #area = element("main", { class: "stage" });
  readonly #labels: readonly HTMLElement[];
  readonly #theme = new Theme();
  readonly #quality = new Quality();
  readonly #incoming = new Rate();
  readonly #drawn = new Rate();
  #number: number | null = null;
  #asked = false;
  #before = 0;

  constructor(root: HTMLElement, data: LiveData, figures: readonly LiveFigure[], stream: LiveStream) {
    this.#data = data;
    this.#size = { joints: data.joints.length, shapes: data.shapes.length };
    this.#figures = figures;
    this.#poses = figures.map(() => emptyPose(this.#size));
    this.#stream = stream;
    const canvas = element("canvas", { "aria-label": "The live figure. Drag to turn, wheel or pinch to zoom.", role: "img" });
    this.#stage = new Stage(canvas, figures.map(({ figure }) => figure));
    this.#toolbar = this.#makeToolbar();
    this.#labels = figures.length > 1 ? figures.map(({ figure }) => label(figure.data.title)) : [];
    this.#area.append(canvas, ...this.#labels);
    root.replaceChildren(this.#toolbar.root, this.#area, this.status.root);
    this.#rest();
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
    this.#stage.draw(0);
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
    const found = this.#figures[character]?.figure.position(joint);
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
    this.#ask();
  }

  #pose(time: number): void {
    const between = this.buffer.around(time);
    if (!between) return;
    this.#figures.forEach((figure, i) => {
      const [before, after, pose] = [between.before.bodies[i], between.after.bodies[i], this.#poses[i]];
      if (before && after && pose) figure.take(mix(before, after, between.ratio, pose));
    });
  }

  /** Before the first frame the figures stand at rest. */
  #rest(): void {
    const home = bodyOf(bytesFromBase64(this.#data.home), 0, this.#size);
    for (const figure of this.#figures) figure.take(mix(home, home, 0, emptyPose(this.#size)));
  }

  #ask(): void {
    if (this.#asked) return;
    this.#asked = true;
    requestAnimationFrame((now) => {
      this.#asked = false;
      this.#noteSpeed(now);
      this.draw();
      const more = (this.playout.time ?? 0) < (this.buffer.newest ?? 0);
      this.#before = more ? now : 0;
      if (more) this.#ask();
    });
  }

  /** Only pictures that follow each other say how fast this machine draws. */
  #noteSpeed(now: number): void {
    if (!this.#before || !this.#quality.note((now - this.#before) / 1000)) return;
    this.#stage.level = this.#quality.level;
    this.#arrange();
  }

  /** Framed as one who stands and gestures; but the camera does not sway with the hips. */
  #framed(act: () => void): void {
    this.#stage.follow = true;
    act();
    this.#stage.follow = false;
  }

  #look(name: ViewName): void {
    this.#framed(() => {
      this.#stage.view = name;
    });
    this.#ask();
  }

  #arrange(): void {
    this.#framed(() => {
      const rects = this.#stage.resize(this.#area.clientWidth, this.#area.clientHeight);
      this.#labels.forEach((made, i) => {
        const rect = rects[i];
        if (!rect) return;
        made.style.transform = `translate(${rect.x}px, ${rect.y}px)`;
        made.style.width = `${rect.width}px`;
        made.style.height = `${rect.height}px`;
        made.classList.toggle("inner", rect.x > 0);
        made.classList.toggle("lower", rect.y > 0);
      });
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
    this.#ask();
  }

  #showStatus(): void {
    const now = seconds();
    const fps = this.#incoming.at(now);
    const coming = this.#stream.state === "live" && fps > 0;
    const drawn = this.#drawn.at(now);
    this.status.show(coming ? { fps, drawn, delay_s: this.playout.delay, skipped: this.skipped } : null);
  }

  #listen(): void {
    this.#stage.onChange = () => this.#ask();
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
