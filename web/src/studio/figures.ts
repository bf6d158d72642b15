import { Vector3 } from "three";

import { type FrameTrack, rootSpan } from "../frame-track";
import { standing } from "../framing";
import { PosedFigure } from "../posed-figure";
import type { Stage } from "../stage";
import type { FigureReady } from "./messages";
import type { Takes } from "./takes";

/** A figure that goes further than this is followed. */
const TRAVELS_M = 1.2;

/** The character on the stage, and a second one of the same kind to compare with. */
export class Figures {
  main: PosedFigure | null = null;
  second: PosedFigure | null = null;
  /** A character's file has come. */
  onFile: (glb: Blob, figure: FigureReady) => void = () => {};
  /** Resolves when the first character stands there. */
  readonly loaded: Promise<void>;
  readonly #stage: Stage;
  readonly #changed: () => void;
  readonly #middle = new Vector3();
  #resolve: () => void = () => {};
  #wanted = 0;
  #file: { data: FigureReady; glb: ArrayBuffer } | null = null;
  #follows = false;
  #both = false;

  constructor(stage: Stage, changed: () => void) {
    this.#stage = stage;
    this.#changed = changed;
    this.loaded = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** Put another character on the stage. */
  async use(data: FigureReady): Promise<void> {
    if (this.#file?.data.id === data.id && this.#file.data.url === data.url) return;
    this.#wanted = data.id;
    const answer = await fetch(data.url);
    if (!answer.ok) throw new Error(`${data.name} could not be loaded (${answer.status})`);
    const glb = await answer.arrayBuffer();
    const figure = await PosedFigure.load(data, glb.slice(0));
    if (this.#wanted !== data.id) {
      figure.dispose();
      return;
    }
    this.#file = { data, glb };
    this.onFile(new Blob([glb]), data);
    this.main = figure;
    this.second = null;
    this.#stage.put([figure, null]);
    const tall = Math.max(figure.box.max.y - Math.min(figure.box.min.y, 0), 0.2);
    this.#stage.furnish(standing(tall), tall);
    if (this.#both) await this.needSecond();
    this.#resolve();
    this.#changed();
  }

  /** Load the second figure: only who compares needs it. */
  async needSecond(): Promise<void> {
    this.#both = true;
    const { main } = this;
    if (!main || this.second || !this.#file) return;
    const figure = await PosedFigure.load(this.#file.data, this.#file.glb.slice(0));
    if (this.main !== main || this.second) {
      figure.dispose();
      return;
    }
    this.second = figure;
    this.#stage.put([main, figure]);
    this.#changed();
  }

  /** Both in the pose of a time; at rest without a take. */
  pose(takes: Takes, time: number): void {
    poseOne(this.main, takes.current?.track ?? null, time);
    if (this.#compares) this.poseSecond(takes, time);
  }

  /** The plain take's pose, also while it is not shown. */
  poseSecond(takes: Takes, time: number): void {
    poseOne(this.second, takes.compared?.track ?? null, time);
  }

  settle(now: number): void {
    this.main?.settle(now);
    if (this.#compares) this.second?.settle(now);
  }

  get #compares(): boolean {
    return this.#stage.arrangement === "each";
  }

  /** Look at the middle of a track's way, or go along where that is long. */
  centreOn(track: FrameTrack): void {
    const { low, high } = rootSpan(track);
    this.#follows = Math.hypot(high[0] - low[0], high[1] - low[1]) > TRAVELS_M;
    this.#middle.set((low[0] + high[0]) / 2, 0, (low[1] + high[1]) / 2);
  }

  /** Let the views look at where the figures are. */
  focus(): void {
    const { main, second } = this;
    if (!main) return;
    if (!this.#follows || !main.position("hips", main.focus)) main.focus.copy(this.#middle);
    second?.focus.copy(main.focus.setY(0));
  }
}

function poseOne(figure: PosedFigure | null, track: FrameTrack | null, time: number): void {
  if (!figure) return;
  if (track && figure.fits(track)) figure.take(track, time);
  else if (figure.home) figure.take(figure.home, 0);
}
