import "./style.css";

import { attachment, embedded } from "./attachments";
import { explain } from "./explain";
import { FileAnimation } from "./file-animation";
import type { PageData, SceneData } from "./page-data";
import { PosedFigure } from "./posed-figure";
import { Sound } from "./sound";
import { type Loaded, Viewer } from "./viewer";
import { waveformOf } from "./waveform";

async function loadScene(scene: SceneData): Promise<Loaded> {
  const { buffer } = await attachment(document, scene.glb);
  const animation = new FileAnimation(await PosedFigure.load(scene, buffer), scene);
  if (!scene.audio) return { animation, sound: null, waveform: null };
  const wav = await attachment(document, scene.audio);
  const sound = new Sound(wav);
  const [waveform] = await Promise.all([waveformOf(wav), sound.loaded()]);
  return { animation, sound, waveform };
}

async function open(page: PageData, root: HTMLElement): Promise<Viewer> {
  const loaded = await Promise.all(page.scenes.map(loadScene));
  const viewer = new Viewer(root, page, loaded);
  viewer.draw();
  return viewer;
}

function main(): void {
  const root = document.getElementById("kinesphere");
  if (!root) return;
  const page = embedded<PageData>(document, "kinesphere-page");
  let viewer: Viewer | null = null;
  const ready = open(page, root).then((opened) => {
    viewer = opened;
  });
  ready.catch((reason: unknown) => explain(root, reason));
  const opened = (): Viewer => {
    if (!viewer) throw new Error("the page is still loading: await kinesphere.ready");
    return viewer;
  };
  window.kinesphere = {
    ready,
    scenes: page.scenes.map(({ title, fps, frames }) => ({ title, fps, frames })),
    get time() {
      return viewer?.clock.time ?? 0;
    },
    get frame() {
      return viewer?.frame ?? 0;
    },
    get duration() {
      return viewer?.clock.duration ?? 0;
    },
    get playing() {
      return viewer?.clock.playing ?? false;
    },
    get soundTime() {
      return viewer?.soundTime ?? null;
    },
    seek: (time) => opened().seek(time),
    play: () => opened().play(),
    pause: () => opened().pause(),
    jointPosition: (scene, bone) => opened().jointPosition(scene, bone),
  };
}

main();
