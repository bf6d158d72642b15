import { Clock } from "./clock";
import { coloursOf } from "./colours";
import { button, element, press } from "./dom";
import type { Figure } from "./figure";
import { frameAt, stepped } from "./frames";
import type { ViewName } from "./framing";
import { icon } from "./icons";
import { listenToKeys } from "./keys";
import type { PageData } from "./page-data";
import { Quality } from "./quality";
import type { Sound } from "./sound";
import { Stage } from "./stage";
import { Theme } from "./theme";
import { Timeline } from "./timeline";
import type { Waveform } from "./timeline-layout";
import { Toolbar } from "./toolbar";
import { Transport } from "./transport";

/** What a scene needs besides its data. */
export interface Loaded {
  readonly figure: Figure;
  readonly sound: Sound | null;
  readonly waveform: Waveform | null;
}

/** The whole page: one clock, and everything that shows its time. Draws only when needed. */
export class Viewer {
  readonly clock: Clock;
  readonly #page: PageData;
  readonly #loaded: readonly Loaded[];
  readonly #stage: Stage;
  readonly #area = element("main", { class: "stage" });
  readonly #labels: HTMLElement[];
  readonly #toolbar: Toolbar;
  readonly #transport: Transport;
  readonly #timeline: Timeline;
  readonly #theme = new Theme();
  readonly #quality = new Quality();
  #audible: Sound | null = null;
  #asked = false;
  #before = 0;
  #overlay = false;

  constructor(root: HTMLElement, page: PageData, loaded: readonly Loaded[]) {
    this.#page = page;
    this.#loaded = loaded;
    const lengths = loaded.map((l) => Math.max(l.figure.duration, l.sound?.duration ?? 0));
    this.clock = new Clock(Math.max(...lengths));
    const canvas = element("canvas", { "aria-label": "The figure. Drag to turn, wheel or pinch to zoom.", role: "img" });
    this.#stage = new Stage(canvas, loaded.map((l) => l.figure));
    this.#toolbar = this.#makeToolbar();
    this.#transport = this.#makeTransport();
    const waves = loaded.map((l) => l.waveform);
    this.#timeline = new Timeline(page.scenes, waves, this.clock.duration, (t) => this.seek(t));
    this.#labels = this.#makeLabels();
    this.#area.append(canvas, ...this.#labels);
    root.replaceChildren(this.#toolbar.root, this.#area, this.#transport.root, this.#timeline.root);
    this.#listen(loaded.findIndex((l) => l.sound));
  }

  get fps(): number {
    return this.#page.scenes[0]?.fps ?? 30;
  }

  get soundTime(): number | null {
    return this.#audible?.element.currentTime ?? null;
  }

  readonly playOrPause = (): void => {
    if (this.clock.playing) this.pause();
    else this.play();
  };

  play(): void {
    this.clock.play();
    this.#before = 0;
    this.#ask();
  }

  pause(): void {
    this.clock.pause();
    this.#ask();
  }

  seek(time: number): void {
    this.clock.seek(time);
    for (const { figure } of this.#loaded) figure.pose(this.clock.time);
    this.#ask();
  }

  /** Draw at once, whatever the browser's rhythm. */
  draw(): void {
    const time = this.clock.tick();
    this.#stage.draw(time);
    this.#transport.show(time, this.clock.playing);
    this.#timeline.show(time);
    this.#toolbar.showView(this.#stage.view);
  }

  #ask(): void {
    if (this.#asked) return;
    this.#asked = true;
    requestAnimationFrame((now) => {
      this.#asked = false;
      if (this.clock.playing) this.#noteSpeed(now);
      this.draw();
      if (this.clock.playing) this.#ask();
    });
  }

  #noteSpeed(now: number): void {
    if (this.#before && this.#quality.note((now - this.#before) / 1000)) {
      this.#stage.level = this.#quality.level;
      this.#resize();
    }
    this.#before = now;
  }

  #step(frames: number): void {
    this.clock.pause();
    this.seek(stepped(this.clock.time, frames, this.fps, this.clock.duration));
  }

  #look(name: ViewName): void {
    this.#stage.view = name;
    this.#ask();
  }

  #resize(): void {
    const rects = this.#stage.resize(this.#area.clientWidth, this.#area.clientHeight);
    this.#labels.forEach((label, i) => {
      const rect = rects[this.#overlay ? 0 : i];
      if (!rect) return;
      const top = this.#overlay ? 32 * i : rect.y;
      label.style.transform = `translate(${rect.x}px, ${top}px)`;
      label.style.width = `${rect.width}px`;
      label.style.height = `${rect.height}px`;
      label.classList.toggle("inner", rect.x > 0);
      label.classList.toggle("lower", rect.y > 0);
    });
    this.draw();
  }

  #repaint(): void {
    const colours = coloursOf(document.documentElement);
    this.#stage.paint(colours, this.#theme.name === "dark");
    this.#timeline.paint(colours);
    this.#toolbar.showTheme(this.#theme.name);
    this.#ask();
  }

  #listen(firstSound: number): void {
    this.#stage.onChange = () => this.#ask();
    this.#theme.onChange = () => this.#repaint();
    if (firstSound >= 0) this.#hear(firstSound);
    listenToKeys({
      playOrPause: this.playOrPause,
      step: (frames) => this.#step(frames),
      seek: (time) => this.seek(time),
      view: (name) => this.#look(name),
      loop: () => this.#transport.toggleLoop(),
      mute: () => this.#transport.toggleMute(),
      paths: () => this.#toolbar.nextPaths(),
      theme: () => this.#theme.toggle(),
    });
    this.#repaint();
    this.#resize();
    new ResizeObserver(() => this.#resize()).observe(this.#area);
  }

  #hear(scene: number): void {
    const muted = this.#audible?.element.muted ?? false;
    this.#audible = this.#loaded[scene]?.sound ?? null;
    if (this.#audible) this.#audible.element.muted = muted;
    this.clock.master = this.#audible;
    this.#labels.forEach((label, i) => {
      const control = label.querySelector("button");
      if (control) press(control, i === scene);
    });
  }

  /** A name for every scene where there are several, and a button to choose whose sound to hear. */
  #makeLabels(): HTMLElement[] {
    if (this.#loaded.length < 2) return [];
    const sounds = this.#loaded.filter((l) => l.sound).length;
    return this.#page.scenes.map((scene, i) => {
      const label = element("div", { class: "label" });
      label.append(element("i", { class: `dot dot-${i % 4}` }), element("span", {}, scene.title));
      if (sounds > 1 && this.#loaded[i]?.sound) {
        label.append(button({ label: `Hear ${scene.title}`, icon: icon("sound") }, () => this.#hear(i)));
      }
      return label;
    });
  }

  #makeToolbar(): Toolbar {
    const { figure } = this.#loaded[0] ?? {};
    const parts = {
      title: this.#page.title,
      several: this.#loaded.length > 1,
      travels: this.#stage.travels,
      follow: this.#stage.follow,
      hands: Boolean(figure?.node("leftHand") ?? figure?.node("rightHand")),
    };
    return new Toolbar(parts, {
      view: (name) => this.#look(name),
      paths: (mode) => {
        this.#stage.pathMode = mode;
        this.#ask();
      },
      overlay: (on) => {
        this.#overlay = on;
        this.#area.classList.toggle("overlay", on);
        this.#stage.overlay = on;
        this.#resize();
      },
      follow: (on) => {
        this.#stage.follow = on;
        this.#look(this.#stage.view ?? "angle");
      },
      theme: () => this.#theme.toggle(),
    });
  }

  #makeTransport(): Transport {
    const hasSound = this.#loaded.some((l) => l.sound);
    const moving = Math.max(...this.#loaded.map((l) => l.figure.duration));
    return new Transport(this.fps, this.clock.duration, frameAt(moving, this.fps), hasSound, {
      playOrPause: this.playOrPause,
      step: (frames) => this.#step(frames),
      seek: (time) => this.seek(time),
      rate: (rate) => {
        this.clock.rate = rate;
      },
      loop: (on) => {
        this.clock.loop = on;
      },
      mute: (on) => {
        for (const { sound } of this.#loaded) if (sound) sound.element.muted = on;
      },
    });
  }

  /** Frame of the first scene that is nearest to the time shown. */
  get frame(): number {
    return frameAt(this.clock.time, this.fps);
  }

  jointPosition(scene: number, bone: string): [number, number, number] {
    const found = this.#loaded[scene]?.figure.position(bone);
    if (!found) throw new Error(`scene ${scene} has no bone or node named ${bone}`);
    return [found.x, found.y, found.z];
  }
}
