import { Vector3 } from "three";

import { type FrameTrack, rootSpan } from "./frame-track";
import type { Figure } from "./messages";
import { PosedFigure } from "./posed-figure";
import type { StudioStage } from "./studio-stage";
import type { Takes } from "./takes";

/** A figure that goes further than this is followed. */
const TRAVELS_M = 1.2;

/** The character on the stage, and a second one of the same kind to compare with. */
export class Figures {
  main: PosedFigure | null = null;
  second: PosedFigure | null = null;
  /** A character's file has come. */
  onFile: (glb: Blob, figure: Figure) => void = () => {};
  /** Resolves when the first character stands there. */
  readonly loaded: Promise<void>;
  readonly #stage: StudioStage;
  readonly #changed: () => void;
  readonly #middle = new Vector3();
  #resolve: () => void = () => {};
  #wanted = 0;
  #bytes: { id: number; glb: ArrayBuffer } | null = null;
  #follows = false;
  #both = false;

  constructor(stage: StudioStage, changed: () => void) {
    this.#stage = stage;
    this.#changed = changed;
    this.loaded = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** Put another character on the stage. */
  async use(data: Figure): Promise<void> {
    if (this.main?.data.id === data.id && this.main.data.url === data.url) return;
    this.#wanted = data.id;
    const answer = await fetch(data.url);
    if (!answer.ok) throw new Error(`${data.name} could not be loaded (${answer.status})`);
    const glb = await answer.arrayBuffer();
    const figure = await PosedFigure.load(data, glb.slice(0));
    if (this.#wanted !== data.id) {
      figure.dispose();
      return;
    }
    this.#bytes = { id: data.id, glb };
    this.onFile(new Blob([glb]), data);
    this.main = figure;
    this.second = null;
    this.#stage.put(1, null);
    this.#stage.put(0, figure);
    if (this.#both) await this.needSecond();
    this.#resolve();
    this.#changed();
  }

  /** Load the second figure: only who compares needs it. */
  async needSecond(): Promise<void> {
    this.#both = true;
    const { main } = this;
    if (!main || this.second || this.#bytes?.id !== main.data.id) return;
    const figure = await PosedFigure.load(main.data, this.#bytes.glb.slice(0));
    if (this.main !== main || this.second) {
      figure.dispose();
      return;
    }
    this.second = figure;
    this.#stage.put(1, figure);
    this.#changed();
  }

  /** Both in the pose of a time; at rest without a take. */
  pose(takes: Takes, time: number): void {
    poseOne(this.main, takes.current?.track ?? null, time);
    if (this.#stage.split) this.poseSecond(takes, time);
  }

  /** The plain take's pose, also while it is not shown. */
  poseSecond(takes: Takes, time: number): void {
    poseOne(this.second, takes.compared?.track ?? null, time);
  }

  settle(now: number): void {
    this.main?.settle(now);
    if (this.#stage.split) this.second?.settle(now);
  }

  /** Look at the middle of a track's way, or go along where that is long. */
  centreOn(track: FrameTrack): void {
    const { low, high } = rootSpan(track);
    this.#follows = Math.hypot(high[0] - low[0], high[1] - low[1]) > TRAVELS_M;
    this.#middle.set((low[0] + high[0]) / 2, 0, (low[1] + high[1]) / 2);
  }

  centre(into: Vector3): Vector3 {
    if (this.#follows && this.main?.position("hips", into)) return into.setY(0);
    return into.copy(this.#middle);
  }
}

function poseOne(figure: PosedFigure | null, track: FrameTrack | null, time: number): void {
  if (!figure) return;
  if (track && figure.fits(track)) figure.take(track, time);
  else figure.take(figure.home, 0);
}
