import "../style.css";
import "./studio.css";

import { explain } from "../explain";
import type { StudioHook } from "./studio-hook";
import { StudioPage } from "./studio-page";

function hookOf(page: StudioPage): StudioHook {
  const { store, player, live, figures, toasts } = page;
  return {
    ready: figures.loaded,
    get state() {
      return page.connection.state;
    },
    get document() {
      return store.document;
    },
    get revision() {
      return store.revision;
    },
    get takes() {
      return { current: store.takes.current?.ready ?? null, plain: store.takes.plain?.ready ?? null };
    },
    get time() {
      return player.time;
    },
    get playing() {
      return player.playing;
    },
    get jobs() {
      return store.state.jobs;
    },
    get problems() {
      return [...toasts.problems];
    },
    get live() {
      return { received: live.received, frames: live.frames, latencyMs: live.latencyMs.list(), poseMs: page.poseMs.list() };
    },
    get frameMs() {
      return page.frameMs.list();
    },
    api: store,
    seek: (time) => page.seek(time),
    play: () => player.play(),
    pause: () => player.pause(),
    jointPosition: (bone, which = "take") => page.jointPosition(bone, which),
    shapeWeight: (shape) => figures.main?.weight(shape) ?? 0,
  };
}

function main(): void {
  const root = document.getElementById("kinesphere");
  if (!root) return;
  try {
    const page = new StudioPage(root);
    (window as unknown as { kinesphere: StudioHook }).kinesphere = hookOf(page);
    page.start();
  } catch (reason) {
    explain(root, reason, "The studio");
  }
}

main();
