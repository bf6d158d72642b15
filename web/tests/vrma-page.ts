import { VRM, VRMLoaderPlugin } from "@pixiv/three-vrm";
import {
  VRMAnimation,
  VRMAnimationLoaderPlugin,
  VRMLookAtQuaternionProxy,
  createVRMAnimationClip,
} from "@pixiv/three-vrm-animation";
import { AnimationMixer, Vector3 } from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";

function bytes(base64: string): ArrayBuffer {
  return Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)).buffer;
}

/** Play a VRM animation on a VRM character; tell where its hands are and where it looks at a time. */
async function play(vrma: string, vrm: string, time: number): Promise<Record<string, unknown>> {
  const loader = new GLTFLoader();
  loader.register((parser) => new VRMLoaderPlugin(parser));
  loader.register((parser) => new VRMAnimationLoaderPlugin(parser));
  const animations = (await loader.parseAsync(bytes(vrma), "")).userData["vrmAnimations"] as VRMAnimation[];
  const animation = animations[0];
  if (animation === undefined) throw new Error("no VRM animation in the file");
  const character = (await loader.parseAsync(bytes(vrm), "")).userData["vrm"] as VRM;
  if (character.lookAt) {
    const gaze = new VRMLookAtQuaternionProxy(character.lookAt);
    gaze.name = "lookAtQuaternionProxy";
    character.scene.add(gaze);
  }
  const mixer = new AnimationMixer(character.scene);
  mixer.clipAction(createVRMAnimationClip(animation, character)).play();
  mixer.setTime(time);
  character.update(0);
  character.scene.updateMatrixWorld(true);
  const place = (bone: "leftHand" | "rightHand" | "head"): number[] => {
    const node = character.humanoid.getRawBoneNode(bone);
    return node === null ? [] : node.getWorldPosition(new Vector3()).toArray();
  };
  return {
    duration: animation.duration,
    bones: animation.humanoidTracks.rotation.size,
    expressions: [...animation.expressionTracks.preset.keys()],
    gaze: [character.lookAt?.yaw, character.lookAt?.pitch],
    leftHand: place("leftHand"),
    rightHand: place("rightHand"),
    head: place("head"),
  };
}

(globalThis as unknown as { playVrma: typeof play }).playVrma = play;
