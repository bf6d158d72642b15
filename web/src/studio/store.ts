import type { StudioApi, StudioEvents, Unsubscribe } from "./api";
import type { Connection, ConnectionState } from "./connection";
import { Events } from "./events";
import type { Document, FigureReady, JobProgress, Reply, Request, TakeReady, Welcome } from "./messages";
import { readPacket } from "./packets";
import { isEmpty, isNeutral, reduced, START, type StudioState } from "./state";
import { Takes } from "./takes";
import { type Uploads, withKnown } from "./uploads";

/** What the rest of the page does for the store. */
export interface StoreActs {
  say(text: string, kind: "note" | "problem"): void;
  seek(time: number): void;
  time(): number;
  /** A request has been sent. */
  sent(request: Request): void;
}

/** Events that only the core of the page needs. */
export interface CoreEvents {
  figure: FigureReady;
  jobs: readonly JobProgress[];
  state: ConnectionState;
}

/** Everything the page knows, and the one way to ask for more: what panels see as the studio. */
export class Store implements StudioApi {
  readonly takes = new Takes();
  readonly core = new Events<CoreEvents>();
  readonly #events = new Events<StudioEvents>();
  readonly #uploads: Uploads;
  readonly #acts: StoreActs;
  #connection: Connection | null = null;
  #state: StudioState = START;
  /** What a server that was started anew has not got back yet. */
  #owed: Document | null = null;

  constructor(uploads: Uploads, acts: StoreActs) {
    this.#uploads = uploads;
    this.#acts = acts;
  }

  set connection(connection: Connection) {
    this.#connection = connection;
  }

  get state(): StudioState {
    return this.#state;
  }

  get welcomed(): boolean {
    return this.#state.welcome !== null;
  }

  get welcome(): Welcome {
    const { welcome } = this.#state;
    if (!welcome) throw new Error("the server has not sent its welcome message yet");
    return welcome;
  }

  get document(): Document {
    return this.#state.changed.document;
  }

  get revision(): number {
    return this.#state.changed.revision;
  }

  get connected(): boolean {
    return this.#connection?.state === "open";
  }

  get take(): TakeReady | null {
    return this.takes.whole?.ready ?? null;
  }

  get time(): number {
    return this.#acts.time();
  }

  send(request: Request): void {
    if (this.#connection?.send(request)) this.#acts.sent(request);
    else this.say("Not connected: the change was not made. The page keeps reconnecting.", "problem");
  }

  /** Sound that cannot be sent is late anyway: it is dropped. */
  sendBytes(data: ArrayBuffer): void {
    this.#connection?.send(data);
  }

  upload(file: Blob, name: string): Promise<string> {
    return this.#uploads.send(file, name);
  }

  seek(time: number): void {
    this.#acts.seek(time);
  }

  say(text: string, kind: "note" | "problem" = "note"): void {
    this.#acts.say(text, kind);
  }

  on<Name extends keyof StudioEvents>(name: Name, listener: (value: StudioEvents[Name]) => void): Unsubscribe {
    return this.#events.on(name, listener);
  }

  emit<Name extends keyof StudioEvents>(name: Name, value: StudioEvents[Name]): void {
    this.#events.emit(name, value);
  }

  /** A message of the server. */
  receive(reply: Reply): void {
    const before = this.#state;
    this.#state = reduced(before, reply);
    this.#tell(reply, before);
    this.#events.emit("reply", reply);
    if (reply.type === "changed" && !isEmpty(reply.document)) this.#owed = null;
    if (reply.type !== "welcome" || reply.known) return;
    const { document } = before.changed;
    this.#owed = isEmpty(document) ? this.#owed : document;
    if (this.#owed) void this.#restore(this.#owed);
  }

  bytes(data: ArrayBuffer): void {
    let packet: ReturnType<typeof readPacket>;
    try {
      packet = readPacket(data);
    } catch (reason) {
      this.say(`The studio sent frames that cannot be read: ${reason instanceof Error ? reason.message : String(reason)}.`, "problem");
      return;
    }
    if (packet.kind === "clip") this.takes.clip(packet);
    else this.#events.emit("live", packet);
  }

  connectionState(state: ConnectionState): void {
    this.core.emit("state", state);
    this.#events.emit("connected", state === "open");
  }

  #tell(reply: Reply, before: StudioState): void {
    if (reply.type === "changed") this.#events.emit("changed", reply);
    else if (reply.type === "figure-ready") this.#newFigure(reply);
    else if (reply.type === "take-ready") this.#newTake(reply);
    else if (reply.type === "talking") this.#events.emit("talking", reply);
    else if (reply.type === "request-failed") this.say(reply.text, "problem");
    else if (reply.type === "job-progress") {
      this.#events.emit("job", reply);
      if (reply.state === "failed") this.say(reply.text || `${reply.label} failed`, "problem");
    }
    if (this.#state.jobs !== before.jobs) this.core.emit("jobs", this.#state.jobs);
  }

  #newFigure(figure: FigureReady): void {
    this.takes.keepFigure(figure.id);
    this.core.emit("figure", figure);
  }

  #newTake(take: TakeReady): void {
    const { changed, figure } = this.#state;
    // Work that was begun before an undo may still end.
    if ((figure && take.figure !== figure.id) || changed.document.source === "nothing") return;
    const neutral = take.revision === changed.revision && isNeutral(changed.document.directing);
    if (this.takes.ready(take, neutral)) this.#events.emit("take", take);
  }

  /** The server was started anew: give it everything back. */
  async #restore(lost: Document): Promise<void> {
    this.takes.clear();
    try {
      const { document: sent, missing } = await this.#uploads.again(lost);
      const { styles, models } = this.welcome;
      const document = withKnown(sent, styles, models, (id) => this.#uploads.nameOf(id) !== undefined);
      this.send({ type: "restore", document });
      if (missing.length) this.say("The studio was restarted; upload the files of this project again.", "problem");
      else this.say("The studio was restarted; your project is restored.");
    } catch (reason) {
      this.say(reason instanceof Error ? reason.message : String(reason), "problem");
    }
  }
}
