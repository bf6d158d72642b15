import type { Colours } from "./colours";
import type { FileAnimation } from "./file-animation";
import { HandPath } from "./hand-path";
import type { SceneData } from "./page-data";
import { type PathMode, pathTimes } from "./path-samples";

/** The ways of a figure's hands over its whole take, shown together with it. */
export class HandPaths {
  readonly #left: HandPath | null;
  readonly #right: HandPath | null;

  constructor(animation: FileAnimation, { frames, fps }: SceneData) {
    const times = pathTimes(frames, fps);
    const trace = (bone: string): HandPath | null => {
      const places = animation.path(bone, times);
      return places && new HandPath(places, times);
    };
    this.#left = trace("leftHand");
    this.#right = trace("rightHand");
    for (const path of [this.#left, this.#right]) if (path) animation.figure.group.add(path.group);
  }

  show(mode: PathMode, time: number): void {
    this.#left?.show(mode, time);
    this.#right?.show(mode, time);
  }

  paint(colours: Colours, pixelRatio: number): void {
    this.#left?.paint(colours.left, pixelRatio);
    this.#right?.paint(colours.right, pixelRatio);
  }
}
