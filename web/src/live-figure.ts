import { Mesh, type Object3D } from "three";

import { Figure } from "./figure";
import type { LiveData } from "./live-data";
import type { Pose } from "./live-pose";

/** A mesh's weights, and the place among them of each shape of a frame. */
interface Face {
  readonly weights: number[];
  readonly places: readonly (number | undefined)[];
}

/** The default figure, which takes any pose that it is given. */
export class LiveFigure {
  readonly figure: Figure;
  readonly #joints: readonly (Object3D | undefined)[];
  readonly #faces: readonly Face[];
  readonly #shapes: readonly string[];

  static async load(data: LiveData, title: string, glb: Uint8Array<ArrayBuffer>): Promise<LiveFigure> {
    const still = { title, glb: data.glb, audio: null, fps: 60, frames: 1, vrm: false, bones: {}, tiers: [], curves: [] };
    return new LiveFigure(data, await Figure.load(still, glb));
  }

  private constructor(data: LiveData, figure: Figure) {
    this.figure = figure;
    this.#joints = data.joints.map((name) => figure.node(name));
    this.#shapes = data.shapes;
    const faces: Face[] = [];
    figure.root.traverse((part) => {
      if (!(part instanceof Mesh) || !part.morphTargetInfluences) return;
      const names = part.morphTargetDictionary ?? {};
      faces.push({ weights: part.morphTargetInfluences, places: data.shapes.map((name) => names[name]) });
    });
    this.#faces = faces;
  }

  /** The first joint is the root, which also has a place. */
  take(pose: Pose): void {
    this.#joints[0]?.position.fromArray(pose.root);
    this.#joints.forEach((joint, i) => {
      const at = 4 * i;
      const [w, x, y, z] = [pose.turns[at], pose.turns[at + 1], pose.turns[at + 2], pose.turns[at + 3]];
      joint?.quaternion.set(x ?? 0, y ?? 0, z ?? 0, w ?? 1);
    });
    for (const { weights, places } of this.#faces) {
      places.forEach((place, i) => {
        if (place !== undefined) weights[place] = pose.face[i] ?? 0;
      });
    }
  }

  /** Weight of a shape of the face, 0 where there is none. */
  weight(shape: string): number {
    const place = this.#shapes.indexOf(shape);
    const found = this.#faces.map(({ weights, places }) => weights[places[place] ?? -1] ?? 0);
    return Math.max(0, ...found);
  }
}
