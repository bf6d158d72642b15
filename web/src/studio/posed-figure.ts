import { type VRM, VRMLoaderPlugin } from "@pixiv/three-vrm";
import { Box3, Mesh, type Object3D, Vector3 } from "three";
import { type GLTF, GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";

import { bytesFromBase64 } from "../base64";
import { nodesByName } from "../figure";
import { emptyPose, type FrameTrack, homeTrack, mixFrames, type Pose, poseAt } from "./frame-track";
import type { Figure } from "./messages";

/** A mesh's weights, and for each of some shapes of a frame its place among them. */
interface Face {
  readonly weights: number[];
  readonly shapes: readonly number[];
  readonly places: readonly number[];
}

const LONGEST_STEP_S = 0.2;

/** A character that takes any frame that it is given. */
export class PosedFigure {
  readonly data: Figure;
  readonly root: Object3D;
  /** What it covers standing at rest, in the world. */
  readonly box = new Box3();
  readonly home: FrameTrack;
  readonly #vrm: VRM | null;
  readonly #nodes: ReadonlyMap<string, Object3D>;
  readonly #joints: readonly (Object3D | undefined)[];
  readonly #faces: readonly Face[];
  readonly #pose: Pose;
  #settled = 0;

  static async load(data: Figure, glb: ArrayBuffer): Promise<PosedFigure> {
    const loader = new GLTFLoader();
    if (data.vrm) loader.register((parser) => new VRMLoaderPlugin(parser));
    return new PosedFigure(data, await loader.parseAsync(glb, ""));
  }

  private constructor(data: Figure, gltf: GLTF) {
    this.data = data;
    this.root = gltf.scene;
    this.#vrm = (gltf.userData["vrm"] as VRM | undefined) ?? null;
    // Frames move the bones themselves, so the copy of the skeleton that VRM keeps must not.
    if (this.#vrm) this.#vrm.humanoid.autoUpdateHumanBones = false;
    this.#nodes = nodesByName(gltf);
    this.#joints = data.joints.map((name) => this.#nodes.get(name));
    this.#faces = this.#prepareMeshes();
    this.#pose = emptyPose(data.joints.length, data.shapes.length);
    this.home = homeTrack(bytesFromBase64(data.home), data.joints.length, data.shapes.length);
    this.take(this.home, 0);
    this.root.updateMatrixWorld(true);
    this.box.setFromObject(this.root);
  }

  fits(track: FrameTrack): boolean {
    return track.joints === this.data.joints.length && track.shapes === this.data.shapes.length;
  }

  /** The pose of a time of a track, which has to fit. */
  take(track: FrameTrack, time: number): void {
    poseAt(track, time, this.#pose);
    this.#apply();
  }

  /** The pose between a frame of a track and one of another. */
  takeBetween(a: FrameTrack, i: number, b: FrameTrack, j: number, ratio: number): void {
    mixFrames(a, i, b, j, ratio, this.#pose);
    this.#apply();
  }

  /** Let hair and clothes follow, and the face of a VRM; `now` in seconds from any origin. */
  settle(now: number): void {
    const step = now - this.#settled;
    this.#settled = now;
    const vrm = this.#vrm;
    if (!vrm) return;
    vrm.expressionManager?.update();
    vrm.nodeConstraintManager?.update();
    if (step > 0 && step < LONGEST_STEP_S) vrm.springBoneManager?.update(step);
    else if (step !== 0) vrm.springBoneManager?.reset();
  }

  /** The node of a humanoid bone, or of that name. */
  node(bone: string): Object3D | undefined {
    return this.#nodes.get(this.data.bones[bone] ?? bone);
  }

  position(bone: string, into: Vector3): Vector3 | null {
    return this.node(bone)?.getWorldPosition(into) ?? null;
  }

  /** Weight of a shape of the face as shown, 0 where there is none. */
  weight(shape: string): number {
    const index = this.data.shapes.indexOf(shape);
    if (index < 0) return 0;
    if (this.#vrm) return this.#vrm.expressionManager?.getValue(shape) ?? this.#pose.face[index] ?? 0;
    let most = 0;
    for (const { weights, shapes, places } of this.#faces) {
      const at = shapes.indexOf(index);
      most = Math.max(most, at < 0 ? 0 : (weights[places[at] ?? -1] ?? 0));
    }
    return most;
  }

  dispose(): void {
    this.root.traverse((part) => {
      if (!(part instanceof Mesh)) return;
      part.geometry.dispose();
      for (const material of [part.material].flat()) material.dispose();
    });
  }

  #apply(): void {
    const { root, turns, face } = this.#pose;
    this.#joints[0]?.position.set(root[0] ?? 0, root[1] ?? 0, root[2] ?? 0);
    for (let i = 0; i < this.#joints.length; i += 1) {
      const at = 4 * i;
      this.#joints[i]?.quaternion.set(turns[at + 1] ?? 0, turns[at + 2] ?? 0, turns[at + 3] ?? 0, turns[at] ?? 1);
    }
    if (this.#vrm) this.#express(face);
    else this.#shape(face);
  }

  #express(face: Float32Array): void {
    const manager = this.#vrm?.expressionManager;
    if (!manager) return;
    const { shapes } = this.data;
    for (let k = 0; k < shapes.length; k += 1) manager.setValue(shapes[k] ?? "", face[k] ?? 0);
  }

  #shape(face: Float32Array): void {
    for (let f = 0; f < this.#faces.length; f += 1) {
      const one = this.#faces[f];
      if (!one) continue;
      for (let k = 0; k < one.shapes.length; k += 1) {
        one.weights[one.places[k] ?? 0] = face[one.shapes[k] ?? 0] ?? 0;
      }
    }
  }

  #prepareMeshes(): Face[] {
    const faces: Face[] = [];
    this.root.traverse((part) => {
      if (!(part instanceof Mesh)) return;
      part.frustumCulled = false;
      part.castShadow = true;
      part.receiveShadow = true;
      if (part.morphTargetInfluences) faces.push(faceOf(part, this.data.shapes));
    });
    return faces;
  }
}

function faceOf(mesh: Mesh, names: readonly string[]): Face {
  const shapes: number[] = [];
  const places: number[] = [];
  names.forEach((name, i) => {
    const place = mesh.morphTargetDictionary?.[name];
    if (place === undefined) return;
    shapes.push(i);
    places.push(place);
  });
  return { weights: mesh.morphTargetInfluences ?? [], shapes, places };
}
