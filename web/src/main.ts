import "./style.css";

import { attachment } from "./attachments";
import { element } from "./dom";
import { Figure } from "./figure";
import { type PageData, readPage, type SceneData } from "./page-data";
import { Sound } from "./sound";
import { type Loaded, Viewer } from "./viewer";
import { waveformOf } from "./waveform";

async function loadScene(scene: SceneData): Promise<Loaded> {
  const figure = await Figure.load(scene, await attachment(document, scene.glb));
  if (!scene.audio) return { figure, sound: null, waveform: null };
  const wav = await attachment(document, scene.audio);
  const sound = new Sound(wav);
  const [waveform] = await Promise.all([waveformOf(wav), sound.loaded()]);
  return { figure, sound, waveform };
}

function explain(root: HTMLElement, reason: unknown): void {
  const text = reason instanceof Error ? reason.message : String(reason);
  const advice = /webgl/i.test(text) ? "This page needs WebGL, which this browser has turned off." : text;
  root.replaceChildren(element("p", { class: "problem", role: "alert" }, advice));
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
  const page = readPage(document);
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
