import "./style.css";
import "./live.css";

import { attachment, embedded } from "./attachments";
import { explain } from "./explain";
import type { LiveData } from "./live-data";
import type { LiveHook } from "./live-hook";
import { LivePage } from "./live-page";
import { LiveStream } from "./live-stream";
import { PosedFigure } from "./posed-figure";

async function open(data: LiveData, root: HTMLElement, stream: LiveStream): Promise<LivePage> {
  const { buffer } = await attachment(document, data.glb);
  const figures = await Promise.all(Array.from({ length: data.shown }, () => PosedFigure.load(data, buffer)));
  const page = new LivePage(root, data, figures, stream);
  page.draw();
  return page;
}

function hookOf(stream: LiveStream, ready: Promise<void>, page: () => LivePage | null): LiveHook {
  const opened = (): LivePage => {
    const found = page();
    if (!found) throw new Error("the page is still loading: await kinesphere.ready");
    return found;
  };
  return {
    ready,
    get state() {
      return stream.state;
    },
    get note() {
      return page()?.note ?? "";
    },
    get time() {
      return page()?.playout.time ?? null;
    },
    get newest() {
      return page()?.buffer.newest ?? null;
    },
    get received() {
      return page()?.received ?? 0;
    },
    get skipped() {
      return page()?.skipped ?? 0;
    },
    get fps() {
      return page()?.fps ?? 0;
    },
    get drawn() {
      return page()?.drawn ?? 0;
    },
    get delay() {
      return page()?.playout.delay ?? 0;
    },
    jointPosition: (character, joint) => opened().jointPosition(character, joint),
    shapeWeight: (character, shape) => opened().shapeWeight(character, shape),
  };
}

function main(): void {
  const root = document.getElementById("kinesphere");
  if (!root) return;
  const stream = new LiveStream("frames");
  let page: LivePage | null = null;
  const ready = open(embedded<LiveData>(document, "kinesphere-live"), root, stream).then((opened) => {
    page = opened;
    void stream.run();
  });
  ready.catch((reason: unknown) => explain(root, reason));
  Object.assign(window, { kinesphere: hookOf(stream, ready, () => page) });
}

main();
