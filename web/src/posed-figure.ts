import { type VRM, VRMLoaderPlugin } from "@pixiv/three-vrm";
import { type AnimationClip, Box3, Color, Group, Mesh, type Object3D, Vector3 } from "three";
import { type GLTF, GLTFLoader } from "three/examples/jsm/loaders/GLTFLoader.js";

import { bytesFromBase64 } from "./base64";
import { emptyPose, type FrameTrack, homeTrack, mixFrames, type Pose, poseAt } from "./frame-track";

/** What a page knows of a character's file; those that take frames have joints, shapes and a home. */
export interface FigureParts {
  readonly vrm?: boolean;
  /** Humanoid bone to the name of its node. */
  readonly bones?: Readonly<Record<string, string>>;
  /** Nodes and shapes of the face in the order of a frame; the first node also has a place. */
  readonly joints?: readonly string[];
  readonly shapes?: readonly string[];
  /** Base64 of a frame at rest. */
  readonly home?: string;
}

/** A mesh's weights, and for each of some shapes of a frame its place among them. */
interface Face {
  readonly weights: number[];
  readonly shapes: readonly number[];
  readonly places: readonly number[];
}

interface Paint {
  readonly colour: Color;
  readonly original: Color;
}

/** A material that moves by itself, as those of VRM characters do. */
interface MovingMaterial {
  update(seconds: number): void;
}

const LONGEST_STEP_S = 0.2;
const TINT_RATIO = 0.55;

/** A character that takes any pose that it is given: frames, or those of its file's animation. */
export class PosedFigure {
  /** The character, and what belongs to it and is shown with it. */
  readonly group = new Group();
  readonly animations: readonly AnimationClip[];
  /** What it covers in the world: at rest, or over its whole take. */
  readonly box = new Box3();
  /** Where on the floor its view looks. */
  readonly focus = new Vector3();
  readonly home: FrameTrack | null;
  readonly root: Object3D;
  readonly #vrm: VRM | null;
  readonly #bones: Readonly<Record<string, string>>;
  readonly #nodes: ReadonlyMap<string, Object3D>;
  readonly #joints: readonly (Object3D | undefined)[];
  readonly #shapes: readonly string[];
  readonly #faces: Face[] = [];
  readonly #paints: Paint[] = [];
  readonly #moving: readonly MovingMaterial[];
  readonly #pose: Pose;
  #settled = 0;

  static async load(parts: FigureParts, glb: ArrayBuffer): Promise<PosedFigure> {
    const loader = new GLTFLoader();
    if (parts.vrm) loader.register((parser) => new VRMLoaderPlugin(parser));
    return new PosedFigure(parts, await loader.parseAsync(glb, ""));
  }

  private constructor(parts: FigureParts, gltf: GLTF) {
    const { bones = {}, joints = [], shapes = [], home } = parts;
    this.root = gltf.scene;
    this.animations = gltf.animations;
    this.group.add(this.root);
    this.#vrm = (gltf.userData["vrm"] as VRM | undefined) ?? null;
    // Poses move the bones themselves, so the copy of the skeleton that VRM keeps must not.
    if (this.#vrm) this.#vrm.humanoid.autoUpdateHumanBones = false;
    this.#moving = (this.#vrm?.materials ?? []).filter((material) => "update" in material) as unknown as MovingMaterial[];
    this.#bones = bones;
    this.#nodes = nodesByName(gltf);
    this.#joints = joints.map((name) => this.#nodes.get(name));
    this.#shapes = shapes;
    this.#prepareMeshes();
    this.#pose = emptyPose(joints.length, shapes.length);
    this.home = home ? homeTrack(bytesFromBase64(home), joints.length, shapes.length) : null;
    if (!this.home) return;
    this.take(this.home, 0);
    this.measure();
  }

  /** Make the box that of the present pose. Meshes are measured once: later only bones count. */
  measure(): void {
    this.root.updateMatrixWorld(true);
    this.box.setFromObject(this.root);
    this.box.getCenter(this.focus).setY(0);
  }

  /** Add the places of all bones to a box. */
  expandByBones(box: Box3): void {
    this.root.updateMatrixWorld(true);
    for (const node of this.#nodes.values()) {
      if ((node as { isBone?: boolean }).isBone) box.expandByPoint(at.setFromMatrixPosition(node.matrixWorld));
    }
  }

  /** VRM 0 characters rest facing -Z: turn one that no frames of ours turn. */
  faceFront(): void {
    if (this.#vrm?.meta.metaVersion === "0") this.root.rotation.y = Math.PI;
  }

  fits(track: FrameTrack): boolean {
    return track.joints === this.#joints.length && track.shapes === this.#shapes.length;
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

  /** Let hair and clothes follow, and the face of a VRM; `time` in seconds from any origin. */
  settle(time: number): void {
    const step = time - this.#settled;
    this.#settled = time;
    const vrm = this.#vrm;
    if (!vrm) return;
    // Without shapes the file's animation moves the face's meshes, which expressions would undo.
    if (this.#shapes.length > 0) vrm.expressionManager?.update();
    vrm.nodeConstraintManager?.update();
    if (step > 0 && step < LONGEST_STEP_S) vrm.springBoneManager?.update(step);
    else if (step !== 0) vrm.springBoneManager?.reset();
    for (const material of this.#moving) material.update(Math.max(step, 0));
  }

  /** The node of a humanoid bone, or of that name; undefined where there is none. */
  node(bone: string): Object3D | undefined {
    return this.#nodes.get(this.#bones[bone] ?? bone) ?? this.#vrm?.humanoid.getRawBoneNode(bone as "hips") ?? undefined;
  }

  /** Place of a bone in the world as shown, in metres. */
  position(bone: string, into: Vector3): Vector3 | null {
    return this.node(bone)?.getWorldPosition(into) ?? null;
  }

  /** Weight of a shape of the face as shown, 0 where there is none. */
  weight(shape: string): number {
    const index = this.#shapes.indexOf(shape);
    if (index < 0) return 0;
    if (this.#vrm) return this.#vrm.expressionManager?.getValue(shape) ?? this.#pose.face[index] ?? 0;
    let most = 0;
    for (const { weights, shapes, places } of this.#faces) {
      const found = shapes.indexOf(index);
      most = Math.max(most, found < 0 ? 0 : (weights[places[found] ?? -1] ?? 0));
    }
    return most;
  }

  /** Colour the whole figure a little, or not at all, to tell figures in one place apart. */
  tint(colour: string | null): void {
    for (const paint of this.#paints) {
      paint.colour.copy(paint.original);
      if (colour) paint.colour.lerp(tinted.set(colour), TINT_RATIO);
    }
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
      const k = 4 * i;
      this.#joints[i]?.quaternion.set(turns[k + 1] ?? 0, turns[k + 2] ?? 0, turns[k + 3] ?? 0, turns[k] ?? 1);
    }
    if (this.#vrm) this.#express(face);
    else this.#shape(face);
  }

  #express(face: Float32Array): void {
    const manager = this.#vrm?.expressionManager;
    if (!manager) return;
    for (let k = 0; k < this.#shapes.length; k += 1) manager.setValue(this.#shapes[k] ?? "", face[k] ?? 0);
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

  #prepareMeshes(): void {
    this.root.traverse((part) => {
      if (!(part instanceof Mesh)) return;
      part.frustumCulled = false;
      part.castShadow = true;
      part.receiveShadow = true;
      if (part.morphTargetInfluences) this.#faces.push(faceOf(part, this.#shapes));
      for (const material of [part.material].flat()) {
        const { color } = material as { color?: unknown };
        if (color instanceof Color) this.#paints.push({ colour: color, original: color.clone() });
      }
    });
  }
}

const at = new Vector3();
const tinted = new Color();

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

/** Nodes by the names they have in the file: the loader rewrites names with dots and colons. */
function nodesByName(gltf: GLTF): Map<string, Object3D> {
  const names = (gltf.parser.json as { nodes?: { name?: string }[] }).nodes ?? [];
  const found = new Map<string, Object3D>();
  gltf.scene.traverse((node) => {
    const index = gltf.parser.associations.get(node)?.nodes;
    const name = index === undefined ? undefined : names[index]?.name;
    if (name !== undefined && !found.has(name)) found.set(name, node);
  });
  return found;
}
