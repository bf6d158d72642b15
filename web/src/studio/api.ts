import type { Changed, Document, JobProgress, Reply, Request, TakeReady, Talking, Welcome } from "./messages";
import type { LiveFrames } from "./packets";

/** What the studio tells its panels. */
export interface StudioEvents {
  /** The document is another one, or has been changed. */
  changed: Changed;
  /** A take can be shown (its frames are there already). */
  take: TakeReady;
  job: JobProgress;
  talking: Talking;
  live: LiveFrames;
  /** Any reply, after the ones above. */
  reply: Reply;
  /** The connection is open (true) or lost (false). */
  connected: boolean;
  /** The shown time in seconds, while playing and after seeking. */
  time: number;
}

export type Unsubscribe = () => void;

/** What a panel may use: nothing else of the page is its business. */
export interface StudioApi {
  readonly welcome: Welcome;
  /** The document as the server has it; panels never change it themselves, they ask. */
  readonly document: Document;
  readonly revision: number;
  readonly connected: boolean;
  /** The newest whole take, if there is one. */
  readonly take: TakeReady | null;
  /** Shown time of the take. */
  readonly time: number;
  send(request: Request): void;
  sendBytes(data: ArrayBuffer): void;
  /** Send a file to the server; resolves to the id of the upload, rejects with a sentence. */
  upload(file: Blob, name: string): Promise<string>;
  seek(time: number): void;
  /** Show a message to the person for a while. */
  say(text: string, kind?: "note" | "problem"): void;
  on<Name extends keyof StudioEvents>(name: Name, listener: (value: StudioEvents[Name]) => void): Unsubscribe;
}

/** A panel: built once, shown and hidden by the page. */
export interface Panel {
  readonly root: HTMLElement;
  /** Called when the panel is shown or hidden. */
  shown?(visible: boolean): void;
}
