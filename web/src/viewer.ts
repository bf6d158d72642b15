import { Vector3 } from "three";

import { Clock } from "./clock";
import { coloursOf } from "./colours";
import { Coverage } from "./coverage";
import { button, element, press } from "./dom";
import { DrawLoop } from "./draw-loop";
import type { FileAnimation } from "./file-animation";
import { frameAt, stepped } from "./frames";
import type { ViewName } from "./framing";
import { HandPaths } from "./hand-paths";
import { icon } from "./icons";
import { listenToKeys } from "./keys";
import { placeLabel } from "./labels";
import type { PageData } from "./page-data";
import type { PathMode } from "./path-samples";
import type { Sound } from "./sound";
import { Stage } from "./stage";
import { Theme } from "./theme";
import { Timeline } from "./timeline";
import type { Waveform } from "./timeline-layout";
import { Toolbar } from "./toolbar";
import { Transport } from "./transport";

/** What a scene needs besides its data. */
export interface Loaded {
  readonly animation: FileAnimation;
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
  readonly #coverage: Coverage;
  readonly #place = new Vector3();
  readonly #loop = new DrawLoop(
    () => {
      this.draw();
      return this.clock.playing;
    },
    (level) => {
      this.#stage.level = level;
      this.#resize();
    },
  );
  #audible: Sound | null = null;
  #follow: boolean;
  #paths: readonly HandPaths[] = [];
  #pathMode: PathMode = "off";

  constructor(root: HTMLElement, page: PageData, loaded: readonly Loaded[]) {
    this.#page = page;
    this.#loaded = loaded;
    const lengths = loaded.map((l) => Math.max(l.animation.duration, l.sound?.duration ?? 0));
    this.clock = new Clock(Math.max(...lengths));
    const canvas = element("canvas", { "aria-label": "The figure. Drag to turn, wheel or pinch to zoom.", role: "img" });
    const figures = loaded.map((l) => l.animation.figure);
    this.#coverage = new Coverage(figures.map(({ box }) => box));
    this.#follow = this.#coverage.travels;
    this.#stage = new Stage(canvas, "each");
    this.#stage.put(figures);
    this.#furnish();
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
    this.#loop.ask();
  }

  pause(): void {
    this.clock.pause();
    this.#loop.ask();
  }

  seek(time: number): void {
    this.clock.seek(time);
    this.#pose(this.clock.time);
    this.#loop.ask();
  }

  /** Draw at once, whatever the browser's rhythm. */
  draw(): void {
    const time = this.clock.tick();
    this.#pose(time);
    for (const paths of this.#paths) paths.show(this.#pathMode, time);
    this.#stage.draw();
    this.#transport.show(time, this.clock.playing);
    this.#timeline.show(time);
    this.#toolbar.showView(this.#stage.view);
  }

  #pose(time: number): void {
    for (const { animation } of this.#loaded) {
      animation.pose(time);
      if (this.#follow) animation.figure.position("hips", animation.figure.focus)?.setY(0);
    }
  }

  /** Where the camera does not follow, it looks at the middle of the way. */
  #furnish(): void {
    const { size } = this.#coverage;
    for (const { animation } of this.#loaded) animation.figure.box.getCenter(animation.figure.focus).setY(0);
    this.#stage.furnish(this.#coverage.framing(this.#follow), size.y, 4 + Math.max(size.x, size.z));
  }

  #step(frames: number): void {
    this.clock.pause();
    this.seek(stepped(this.clock.time, frames, this.fps, this.clock.duration));
  }

  #look(name: ViewName): void {
    this.#stage.view = name;
    this.#loop.ask();
  }

  #resize(): void {
    const stage = this.#stage;
    stage.resize(this.#area.clientWidth, this.#area.clientHeight);
    const overlay = stage.arrangement === "all";
    this.#labels.forEach((label, i) => {
      const rect = stage.rects[overlay ? 0 : i];
      if (rect) placeLabel(label, rect, overlay ? 32 * i : rect.y);
    });
    this.draw();
  }

  #repaint(): void {
    const colours = coloursOf(document.documentElement);
    this.#stage.paint(colours, this.#theme.name === "dark");
    this.#timeline.paint(colours);
    for (const paths of this.#paths) paths.paint(colours, this.#stage.pixelRatio);
    this.#toolbar.showTheme(this.#theme.name);
    this.#loop.ask();
  }

  #listen(firstSound: number): void {
    this.#stage.onChange = () => this.#loop.ask();
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
    const figure = this.#loaded[0]?.animation.figure;
    const parts = {
      title: this.#page.title,
      several: this.#loaded.length > 1,
      travels: this.#coverage.travels,
      follow: this.#follow,
      hands: Boolean(figure?.node("leftHand") ?? figure?.node("rightHand")),
    };
    return new Toolbar(parts, {
      view: (name) => this.#look(name),
      paths: (mode) => {
        this.#pathMode = mode;
        if (mode !== "off" && this.#paths.length === 0) this.#tracePaths();
        this.#loop.ask();
      },
      overlay: (on) => {
        this.#area.classList.toggle("overlay", on);
        this.#stage.arrangement = on ? "all" : "each";
        this.#resize();
      },
      follow: (on) => {
        this.#follow = on;
        this.#furnish();
        this.#look(this.#stage.view ?? "angle");
      },
      theme: () => this.#theme.toggle(),
    });
  }

  #tracePaths(): void {
    this.#paths = this.#page.scenes.flatMap((scene, i) => {
      const animation = this.#loaded[i]?.animation;
      return animation ? [new HandPaths(animation, scene)] : [];
    });
    this.#repaint();
  }

  #makeTransport(): Transport {
    const hasSound = this.#loaded.some((l) => l.sound);
    const moving = Math.max(...this.#loaded.map((l) => l.animation.duration));
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
    const found = this.#loaded[scene]?.animation.figure.position(bone, this.#place);
    if (!found) throw new Error(`scene ${scene} has no bone or node named ${bone}`);
    return [found.x, found.y, found.z];
  }
}
