import { type VRM, VRMLoaderPlugin, VRMUtils } from "@pixiv/three-vrm";
import {
  type AnimationAction,
  AnimationMixer,
  Box3,
  Color,
  LoopOnce,
  Mesh,
  type Object3D,
  Vector3,
} from "three";
import { type GLTF, GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";

import { lastTime } from "./frames";
import type { SceneData } from "./page-data";
import { pathTimes } from "./path-samples";

const TAKE = "take";
const LONGEST_STEP_S = 0.2;
const FRAMING_SAMPLES = 40;

/** A character with its movement. */
export class Figure {
  readonly data: SceneData;
  readonly root: Object3D;
  readonly duration: number;
  /** What the character covers over the whole clip, in the world. */
  readonly box = new Box3();
  readonly #vrm: VRM | null;
  readonly #mixer: AnimationMixer;
  readonly #action: AnimationAction | null;
  readonly #nodes: ReadonlyMap<string, Object3D>;
  readonly #paints: { colour: Color; original: Color }[] = [];
  #time = 0;

  static async load(data: SceneData, glb: Uint8Array<ArrayBuffer>): Promise<Figure> {
    const loader = new GLTFLoader();
    if (data.vrm) loader.register((parser) => new VRMLoaderPlugin(parser));
    return new Figure(data, await loader.parseAsync(glb.buffer, ""));
  }

  private constructor(data: SceneData, gltf: GLTF) {
    this.data = data;
    this.root = gltf.scene;
    this.#vrm = (gltf.userData["vrm"] as VRM | undefined) ?? null;
    const ours = gltf.animations.some((a) => a.name === TAKE);
    if (this.#vrm) prepareVrm(this.#vrm, ours);
    this.#nodes = nodesByName(gltf);
    this.#mixer = new AnimationMixer(gltf.scene);
    const clip = gltf.animations.find((a) => a.name === TAKE) ?? gltf.animations.at(-1);
    this.#action = clip ? this.#mixer.clipAction(clip) : null;
    this.#action?.setLoop(LoopOnce, 1).play();
    this.duration = lastTime(data.frames, data.fps);
    this.#prepareMeshes();
    this.#measure();
  }

  /** Take the pose of a time; behind the end the last one. */
  pose(time: number): void {
    this.#apply(time);
    const step = time - this.#time;
    this.#time = time;
    if (!this.#vrm) return;
    this.#vrm.nodeConstraintManager?.update();
    if (step > 0 && step < LONGEST_STEP_S) this.#vrm.springBoneManager?.update(step);
    else if (step !== 0) this.#vrm.springBoneManager?.reset();
    for (const material of this.#vrm.materials ?? []) {
      (material as { update?: (delta: number) => void }).update?.(Math.max(step, 0));
    }
  }

  /** The node of a humanoid bone, or of that name; undefined where there is none. */
  node(bone: string): Object3D | undefined {
    const raw = this.#vrm?.humanoid.getRawBoneNode(bone as "hips");
    return this.#nodes.get(this.data.bones[bone] ?? bone) ?? raw ?? undefined;
  }

  /** Place of a bone in the world at the time shown, in metres. */
  position(bone: string, into = new Vector3()): Vector3 | null {
    return this.node(bone)?.getWorldPosition(into) ?? null;
  }

  /** Where the body is on the floor at the time shown. */
  ground(into: Vector3): Vector3 {
    return (this.position("hips", into) ?? this.box.getCenter(into)).setY(0);
  }

  /** Places of a bone at all the times, `[times * 3]`; the pose is put back afterwards. */
  path(bone: string, times: Float64Array): Float32Array | null {
    const node = this.node(bone);
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

  /** Colour the whole figure a little, or not at all, to tell figures in one place apart. */
  tint(colour: string | null): void {
    for (const paint of this.#paints) {
      paint.colour.copy(paint.original);
      if (colour) paint.colour.lerp(new Color(colour), 0.55);
    }
  }

  #apply(time: number): void {
    if (!this.#action) return;
    this.#action.paused = false;
    this.#action.time = Math.min(Math.max(time, 0), this.#action.getClip().duration);
    this.#mixer.update(0);
  }

  #prepareMeshes(): void {
    this.root.traverse((part) => {
      if (!(part instanceof Mesh)) return;
      part.frustumCulled = false;
      part.castShadow = true;
      part.receiveShadow = true;
      for (const material of [part.material].flat()) {
        const { color } = material as { color?: unknown };
        if (color instanceof Color) this.#paints.push({ colour: color, original: color.clone() });
      }
    });
  }

  #measure(): void {
    this.pose(0);
    this.root.updateMatrixWorld(true);
    const size = new Box3().setFromObject(this.root);
    const joints = new Box3();
    const at = new Vector3();
    for (const time of pathTimes(this.data.frames, this.data.fps, FRAMING_SAMPLES)) {
      this.#apply(time);
      this.root.updateMatrixWorld(true);
      for (const node of this.#nodes.values()) {
        if ((node as { isBone?: boolean }).isBone) joints.expandByPoint(at.setFromMatrixPosition(node.matrixWorld));
      }
    }
    this.box.copy(size).union(joints.isEmpty() ? size : joints.expandByScalar(0.06));
    this.pose(0);
  }
}

/** Our clip moves the bones themselves, so the copy of the skeleton that VRM keeps must not. */
/** VRM 0 characters rest facing -Z; our own animation has turned them already. */
function prepareVrm(vrm: VRM, turned: boolean): void {
  if (!turned) VRMUtils.rotateVRM0(vrm);
  vrm.humanoid.autoUpdateHumanBones = false;
}

/** Nodes by the names they have in the file: the loader rewrites names with dots and colons. */
export function nodesByName(gltf: GLTF): Map<string, Object3D> {
  const names = (gltf.parser.json as { nodes?: { name?: string }[] }).nodes ?? [];
  const found = new Map<string, Object3D>();
  gltf.scene.traverse((node) => {
    const index = gltf.parser.associations.get(node)?.nodes;
    const name = index === undefined ? undefined : names[index]?.name;
    if (name !== undefined && !found.has(name)) found.set(name, node);
  });
  return found;
}
