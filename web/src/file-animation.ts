import { type AnimationAction, AnimationMixer, Box3, LoopOnce, Vector3 } from "three";

import { lastTime } from "./frames";
import type { SceneData } from "./page-data";
import { pathTimes } from "./path-samples";
import type { PosedFigure } from "./posed-figure";

const TAKE = "take";
const FRAMING_SAMPLES = 40;
/** From a joint to the skin around it. */
const SKIN_M = 0.06;

/** A figure that is moved by the animation of its own file. */
export class FileAnimation {
  readonly figure: PosedFigure;
  readonly duration: number;
  readonly #mixer: AnimationMixer;
  readonly #action: AnimationAction | null;
  #time = 0;

  constructor(figure: PosedFigure, { frames, fps }: SceneData) {
    const ours = figure.animations.find(({ name }) => name === TAKE);
    if (!ours) figure.faceFront();
    const clip = ours ?? figure.animations.at(-1);
    this.figure = figure;
    this.#mixer = new AnimationMixer(figure.root);
    this.#action = clip ? this.#mixer.clipAction(clip) : null;
    this.#action?.setLoop(LoopOnce, 1).play();
    this.duration = lastTime(frames, fps);
    this.#measure(pathTimes(frames, fps, FRAMING_SAMPLES));
  }

  /** Take the pose of a time; behind the end the last one. */
  pose(time: number): void {
    this.#apply(time);
    this.#time = time;
    this.figure.settle(time);
  }

  /** Places of a bone at all the times, `[times * 3]`; the pose is put back afterwards. */
  path(bone: string, times: Float64Array): Float32Array | null {
    const node = this.figure.node(bone);
    if (!node) return null;
    const places = new Float32Array(3 * times.length);
    const at = new Vector3();
    times.forEach((time, i) => {
      this.#apply(time);
      node.getWorldPosition(at).toArray(places, 3 * i);
    });
    this.#apply(this.#time);
    return places;
  }

  #apply(time: number): void {
    if (!this.#action) return;
    this.#action.paused = false;
    this.#action.time = Math.min(Math.max(time, 0), this.#action.getClip().duration);
    this.#mixer.update(0);
  }

  /** The figure's box is what it covers over the whole take. */
  #measure(times: Float64Array): void {
    const { figure } = this;
    this.pose(0);
    figure.measure();
    const bones = new Box3();
    for (const time of times) {
      this.#apply(time);
      figure.expandByBones(bones);
    }
    if (!bones.isEmpty()) figure.box.union(bones.expandByScalar(SKIN_M));
    figure.box.getCenter(figure.focus).setY(0);
    this.pose(0);
  }
}
