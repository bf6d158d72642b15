import { Vector3 } from "three";

import { coloursOf } from "../colours";
import { DrawLoop } from "../draw-loop";
import { durationOf } from "../frame-track";
import type { ViewName } from "../framing";
import { Stage } from "../stage";
import { Theme } from "../theme";
import { browserSurroundings, Connection } from "./connection";
import { DirectPanel } from "./direct-panel";
import { DropArea } from "./drop-area";
import { ExportPanel } from "./export-panel";
import { Figures } from "./figures";
import { GestureDesk } from "./gesture-desk";
import { showHelp } from "./help-dialog";
import { JobsView } from "./jobs-view";
import { LiveView } from "./live-view";
import { LowerView } from "./lower-view";
import { Materials } from "./materials";
import { MaterialPanel } from "./material-panel";
import type { Reply } from "./messages";
import { Player } from "./player";
import { Recent } from "./recent";
import { showReport } from "./report-dialog";
import { Shell } from "./shell";
import { type Act, listenToShortcuts } from "./shortcuts";
import { SpeakPanel } from "./speak-panel";
import { Store } from "./store";
import { StudioTimeline } from "./studio-timeline";
import { StudioTransport } from "./studio-transport";
import { TalkPanel } from "./talk-panel";
import { Toasts } from "./toasts";
import { postTo, Uploads } from "./uploads";

/** Live frames are shown until this long after the last of them. */
const LIVE_MS = 600;
/** Narrower than this, a figure is better half covered than tiny; pixels. */
const LEAST_STAGE = 260;
/** Requests that make another performance, not a change of the one before: it is played at once. */
const NEW_TAKES: ReadonlySet<string> = new Set(["perform", "use-sound", "use-motion"]);

/** Everything on the page, put together: one store, one clock, one stage. Draws only when needed. */
export class StudioPage {
  readonly store: Store;
  readonly connection: Connection;
  readonly player = new Player();
  readonly toasts = new Toasts();
  readonly live = new LiveView();
  readonly figures: Figures;
  /** Milliseconds of our own code, without drawing: of every picture, and of poses while talking. */
  readonly frameMs = new Recent(600);
  readonly poseMs = new Recent(600);
  readonly #shell: Shell;
  readonly #stage: Stage;
  readonly #timeline: StudioTimeline;
  readonly #desk: GestureDesk;
  readonly #transport: StudioTransport;
  readonly #jobs: JobsView;
  readonly #lower: LowerView;
  readonly #theme = new Theme();
  readonly #loop = new DrawLoop(
    () => {
      this.#draw();
      return this.player.playing || performance.now() - this.#lastLive < LIVE_MS;
    },
    (level) => {
      this.#stage.level = level;
      this.#resize();
    },
  );
  readonly #uploads: Uploads;
  readonly #place = new Vector3();
  #built = false;
  #lastLive = -Infinity;
  #autoplay = false;

  constructor(root: HTMLElement) {
    this.#uploads = new Uploads(postTo(() => this.store.welcome.session));
    this.store = new Store(this.#uploads, {
      say: this.toasts.say,
      seek: (time) => this.seek(time),
      time: () => this.player.time,
      sent: ({ type }) => {
        if (!NEW_TAKES.has(type)) return;
        this.#autoplay = true;
        this.#shell.closeDrawer();
      },
    });
    this.connection = new Connection(browserSurroundings(), {
      reply: (reply) => this.#receive(reply),
      bytes: (data) => this.store.bytes(data),
      state: (state) => this.store.connectionState(state),
    });
    this.store.connection = this.connection;
    this.#shell = new Shell(root, {
      undo: () => this.#act("undo"),
      redo: () => this.#act("redo"),
      theme: () => this.#act("theme"),
      help: () => this.#act("help"),
      retry: () => this.connection.retry(),
      view: (name) => this.#look(name),
      split: () => this.#act("split"),
    });
    this.#stage = new Stage(this.#shell.canvas, "first");
    this.figures = new Figures(this.#stage, () => this.#figureChanged());
    this.#timeline = new StudioTimeline({
      seek: (time) => this.seek(time),
      choose: (id) => {
        this.#shell.closeDrawer();
        this.#desk.choose(id);
      },
      retime: (id, timing) => this.#desk.retime(id, timing),
      add: (time) => {
        this.#shell.closeDrawer();
        this.#desk.add(time);
      },
    });
    this.#desk = new GestureDesk(this.store, this.#timeline, {
      visit: (time) => {
        this.player.pause();
        this.seek(time);
      },
      cover: (pixels) => this.#cover(pixels),
    });
    this.#jobs = new JobsView((job) => this.store.send({ type: "cancel", job }));
    this.#lower = new LowerView(this.#timeline.root);
    this.#transport = new StudioTransport(this.player, this.#jobs.root, this.#lower.control, this.#timeline.zoomButtons);
    this.#shell.bottom.append(this.#transport.root, this.#lower.root);
    this.#shell.stage.append(this.toasts.root);
    this.#listen();
  }

  start(): void {
    this.connection.start();
  }

  seek(time: number): void {
    this.player.seek(time);
    this.#pose();
    this.store.emit("time", this.player.time);
  }

  /** World position of a bone of the take, or of the plain one beside it if that is shown. */
  jointPosition(bone: string, which: "take" | "plain"): [number, number, number] {
    const figure = which === "plain" ? this.figures.second : this.figures.main;
    if (!figure) throw new Error(which === "plain" ? "the plain take is not shown: compare first (B)" : "there is no character yet");
    if (which === "plain") this.figures.poseSecond(this.store.takes, this.player.time);
    const found = figure.position(bone, this.#place);
    if (!found) throw new Error(`the character has no bone or node named ${bone}`);
    return [found.x, found.y, found.z];
  }

  /** Take the pose of the moment, without drawing it. */
  #pose(): void {
    const before = performance.now();
    const live = before - this.#lastLive < LIVE_MS;
    if (live && this.live.tick(before)) this.#poseLive();
    else this.figures.pose(this.store.takes, this.player.time);
    if (live) this.poseMs.add(performance.now() - before);
  }

  #poseLive(): void {
    const { before, beforeFrame, after, afterFrame, ratio } = this.live;
    const figure = this.figures.main;
    if (!before || !after || !figure?.fits(before)) return;
    figure.takeBetween(before, beforeFrame, after, afterFrame, ratio);
  }

  #receive(reply: Reply): void {
    this.store.receive(reply);
    if (reply.type === "welcome" && !this.#built) this.#buildPanels();
    if (reply.type === "report") showReport(reply);
    if (reply.type === "request-failed") this.#autoplay = false;
  }

  /** Panels need to know what there is, so they come with the first welcome. */
  #buildPanels(): void {
    this.#built = true;
    const { store } = this;
    const materials = new Materials(store, this.#uploads);
    this.#shell.add("Speak", new SpeakPanel(store));
    this.#shell.add("Talk", new TalkPanel(store));
    const direct = new DirectPanel(store);
    this.#lower.curves = direct.wide;
    this.#shell.add("Direct", {
      root: direct.root,
      shown: (visible) => {
        this.#lower.directing = visible;
        direct.shown(visible);
      },
    });
    this.#shell.add("Material", new MaterialPanel(store, materials));
    this.#shell.add("Export", new ExportPanel(store));
    new DropArea(document.body, (files) => void materials.take(files));
    this.#shell.stage.append(this.#desk.open());
  }

  #listen(): void {
    const { store, player } = this;
    store.on("changed", (changed) => {
      this.#shell.showChanged(changed);
      if (changed.document.source === "nothing") this.#clear();
      this.#desk.refresh();
      this.#showEmpty();
    });
    store.on("take", (take) => this.#takeCame(take.plain));
    store.on("live", (packet) => {
      const now = performance.now();
      this.#lastLive = now;
      this.live.add(packet, now);
      // Poses follow the sound even where drawing is slow.
      this.#pose();
      this.#loop.ask();
    });
    store.on("talking", ({ on }) => {
      if (on) player.pause();
      else this.live.reset();
      this.#showEmpty();
    });
    store.core.on("figure", (figure) => void this.figures.use(figure).catch((reason: unknown) => store.say(`The character could not be loaded: ${String(reason)}`, "problem")));
    store.core.on("jobs", (jobs) => this.#jobs.show(jobs));
    store.core.on("state", (state) => this.#shell.showState(state));
    player.onChange = () => {
      this.#transport.fit(store.takes.current !== null);
      this.#loop.ask();
    };
    player.onWaveform = (waveform) => {
      this.#timeline.waveform = waveform;
    };
    // Enough to give a server that is started anew what it made or unpacked itself.
    player.onSound = (wav) => this.#uploads.remember(store.document.sound, wav, "recording.wav");
    this.figures.onFile = (glb, { vrm }) => this.#uploads.remember(store.document.character, glb, vrm ? "character.vrm" : "character.glb");
    this.#stage.onChange = () => this.#loop.ask();
    this.#theme.onChange = () => this.#repaint();
    listenToShortcuts((act) => this.#act(act));
    this.#transport.fit(false);
    this.#repaint();
    new ResizeObserver(() => this.#resize()).observe(this.#shell.stage);
  }

  /** Nothing is performed (any more). */
  #clear(): void {
    if (!this.store.takes.current) return;
    this.store.takes.clear();
    this.player.show(null);
    this.player.seek(0);
    this.#timeline.show([], [], 0);
    this.#figureChanged();
  }

  #takeCame(plain: boolean): void {
    const { takes } = this.store;
    const shown = takes.current;
    if (!plain && shown) {
      this.player.show(shown);
      this.#timeline.show(shown.ready.rows, this.store.document.gestures, durationOf(shown.track));
      this.figures.centreOn(shown.track);
      this.#playNew();
    }
    this.#showEmpty();
    this.#pose();
    this.#loop.ask();
  }

  /** A new performance is played at once; an edit is not. */
  #playNew(): void {
    if (!this.#autoplay) return;
    this.#autoplay = false;
    this.player.seek(0);
    this.player.play();
  }

  /** The editor covers a part of the stage, which the figure leaves. */
  #cover(pixels: number): void {
    this.#stage.inset = this.#shell.stage.clientWidth - pixels > LEAST_STAGE ? pixels : 0;
    this.#loop.ask();
  }

  #showEmpty(): void {
    const { takes, state } = this.store;
    if (takes.current || state.talking || this.store.document.source !== "nothing") this.#shell.showEmpty(null);
    else if (this.figures.main) this.#shell.showEmpty("Nothing performed yet", "Type a text and press Perform, talk to the character, or drop a file anywhere on this page.");
  }

  #figureChanged(): void {
    this.#showEmpty();
    this.#pose();
    this.#loop.ask();
  }

  #look(name: ViewName): void {
    this.#stage.view = name;
    this.#loop.ask();
  }

  #toggleSplit(): void {
    const on = this.#stage.arrangement === "first";
    this.#stage.arrangement = on ? "each" : "first";
    this.#shell.showSplit(on);
    if (on) void this.figures.needSecond();
    this.#pose();
    this.#loop.ask();
  }

  #act(act: Act): void {
    const { player, store } = this;
    if (act.startsWith("view-")) return this.#look(act.slice(5) as ViewName);
    const acts: Partial<Record<Act, () => void>> = {
      play: player.playOrPause,
      back: () => player.step(-1),
      forward: () => player.step(1),
      "back-far": () => player.step(-10),
      "forward-far": () => player.step(10),
      start: () => this.seek(0),
      end: () => this.seek(Infinity),
      // The server knows whether there is anything: a quick redo comes before the undo is answered.
      undo: () => store.send({ type: "undo" }),
      redo: () => store.send({ type: "redo" }),
      split: () => this.#toggleSplit(),
      theme: () => this.#theme.toggle(),
      add: () => this.#desk.add(player.time),
      delete: () => this.#desk.remove(),
      close: () => {
        this.#shell.closeDrawer();
        this.#desk.choose(null);
      },
      loop: () => this.#transport.toggleLoop(),
      mute: () => this.#transport.toggleMute(),
      help: () => showHelp(store.welcomed ? store.welcome.program : ""),
    };
    acts[act]?.();
  }

  #resize(): void {
    this.#stage.resize(this.#shell.stage.clientWidth, this.#shell.stage.clientHeight);
    this.#draw();
  }

  #repaint(): void {
    const colours = coloursOf(document.documentElement);
    this.#stage.paint(colours, this.#theme.name === "dark");
    this.#timeline.paint(colours);
    this.#shell.showTheme(this.#theme.name);
    this.#loop.ask();
  }

  #draw(): void {
    const before = performance.now();
    const playing = this.player.playing;
    const time = this.player.tick();
    this.#pose();
    this.figures.settle(before / 1000);
    this.figures.focus();
    this.#transport.show(time, this.player.playing);
    this.#timeline.at(time);
    this.#shell.showView(this.#stage.view);
    if (playing) this.store.emit("time", time);
    this.#stage.draw();
    this.frameMs.add(performance.now() - before - this.#stage.renderMs);
  }
}
