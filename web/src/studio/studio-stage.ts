import { MOUSE, NeutralToneMapping, PCFShadowMap, PerspectiveCamera, Scene, TOUCH, Vector3, WebGLRenderer } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

import type { Colours } from "../colours";
import { directionOf, distanceFor, grid, type Rect, type ViewName } from "../framing";
import type { Level } from "../quality";
import { Studio } from "../studio";
import type { PosedFigure } from "./posed-figure";

const FOV_DEGREES = 28;
const FLOOR_M = 5;
/** How far to the side arms reach, to the height. */
const ARMS = 0.34;

/** Draws the take, or the take and the plain one beside it, seen from the same side. */
export class StudioStage {
  readonly canvas: HTMLCanvasElement;
  /** Called when the camera has moved. */
  onChange: () => void = () => {};
  /** Milliseconds that the last picture took in the renderer. */
  renderMs = 0;
  /** Where the figures are on the floor: the middle of their way, or the place they are at. */
  readonly centre = new Vector3();
  readonly #renderer: WebGLRenderer;
  readonly #scene = new Scene();
  readonly #camera = new PerspectiveCamera(FOV_DEGREES, 1, 0.05, 200);
  readonly #eye = new PerspectiveCamera();
  readonly #controls: OrbitControls;
  readonly #lit = new Vector3();
  readonly #figures: (PosedFigure | null)[] = [null, null];
  #room = new Studio(FLOOR_M, 1.8);
  #rects: readonly Rect[] = [];
  #split = false;
  #view: ViewName | null = "angle";
  #width = 1;
  #height = 1;
  #inset = 0;
  #tall = 1.75;
  #painted: { colours: Colours; dark: boolean } | null = null;
  #level: Level = 0;

  constructor(canvas: HTMLCanvasElement) {
    this.canvas = canvas;
    this.#renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true });
    this.#renderer.toneMapping = NeutralToneMapping;
    this.#renderer.shadowMap.enabled = true;
    this.#renderer.shadowMap.type = PCFShadowMap;
    this.#renderer.setScissorTest(true);
    this.#scene.add(this.#room.group);
    this.#controls = this.#orbit();
    this.level = 0;
  }

  get view(): ViewName | null {
    return this.#view;
  }

  set view(view: ViewName | null) {
    this.#view = view;
    this.#frame();
  }

  get split(): boolean {
    return this.#split;
  }

  set split(on: boolean) {
    this.#split = on;
    this.#place();
  }

  /** Pixels at the right that something else covers: figures stand beside it. */
  set inset(pixels: number) {
    if (pixels === this.#inset) return;
    this.#inset = pixels;
    this.#place();
  }

  get level(): Level {
    return this.#level;
  }

  set level(level: Level) {
    this.#level = level;
    const ratio = Math.min(window.devicePixelRatio, 2);
    this.#renderer.setPixelRatio(level === 0 ? ratio : Math.min(ratio, 1));
    this.#room.shadows = level < 2;
  }

  /** Places of the views in the canvas, from its top left corner. */
  get rects(): readonly Rect[] {
    return this.#rects;
  }

  /** Put a figure on the stage: 0 is the take, 1 the plain one. */
  put(index: 0 | 1, figure: PosedFigure | null): void {
    const before = this.#figures[index];
    if (before === figure) return;
    if (before) {
      this.#scene.remove(before.root);
      before.dispose();
    }
    this.#figures[index] = figure;
    if (!figure) return;
    this.#scene.add(figure.root);
    if (index === 0) this.#fit(figure);
  }

  paint(colours: Colours, dark: boolean): void {
    this.#painted = { colours, dark };
    this.#room.paint(colours.floor, colours.grid, dark);
  }

  resize(width: number, height: number): void {
    this.#width = Math.max(width, 1);
    this.#height = Math.max(height, 1);
    this.#renderer.setSize(this.#width, this.#height, false);
    this.#place();
  }

  draw(): void {
    this.#controls.update();
    this.renderMs = 0;
    for (let i = 0; i < this.#rects.length; i += 1) this.#drawView(this.#rects[i], i);
  }

  #drawView(rect: Rect | undefined, shown: number): void {
    if (!rect) return;
    for (let i = 0; i < 2; i += 1) {
      const figure = this.#figures[i];
      if (figure) figure.root.visible = i === shown;
    }
    this.#eye.copy(this.#camera);
    this.#eye.position.add(this.centre);
    this.#eye.aspect = rect.width / Math.max(rect.height, 1);
    if (this.#shift > 0) this.#eye.setViewOffset(rect.width, rect.height, this.#shift, 0, rect.width, rect.height);
    else this.#eye.clearViewOffset();
    this.#eye.updateProjectionMatrix();
    this.#room.lightUp(this.#lit.copy(this.centre).setY(this.#tall / 2));
    const bottom = this.#height - rect.y - rect.height;
    this.#renderer.setViewport(rect.x, bottom, rect.width, rect.height);
    this.#renderer.setScissor(rect.x, bottom, rect.width, rect.height);
    const before = performance.now();
    this.#renderer.render(this.#scene, this.#eye);
    this.renderMs += performance.now() - before;
  }

  #fit(figure: PosedFigure): void {
    this.#tall = Math.max(figure.box.max.y - Math.min(figure.box.min.y, 0), 0.2);
    this.#scene.remove(this.#room.group);
    this.#room = new Studio(Math.max(FLOOR_M, 2.5 * this.#tall), this.#tall);
    this.#room.shadows = this.#level < 2;
    if (this.#painted) this.#room.paint(this.#painted.colours.floor, this.#painted.colours.grid, this.#painted.dark);
    this.#scene.add(this.#room.group);
    this.#frame();
  }

  /** How far one view's picture is moved to the left; two views are made narrower instead. */
  get #shift(): number {
    return this.#split ? 0 : this.#inset / 2;
  }

  #place(): void {
    this.#rects = grid(this.#split ? 2 : 1, Math.max(this.#width - (this.#split ? this.#inset : 0), 2), this.#height);
    this.#frame();
  }

  #frame(): void {
    if (!this.#view) return;
    const rect = this.#rects[0] ?? { width: 1, height: 1 };
    const aspect = Math.max(rect.width - 2 * this.#shift, 1) / Math.max(rect.height, 1);
    const across = ARMS * this.#tall;
    const up = this.#view === "top" ? across : 0.52 * this.#tall;
    const distance = distanceFor({ across, up }, aspect, FOV_DEGREES);
    this.#controls.target.set(0, 0.5 * this.#tall, 0);
    this.#camera.position.set(...directionOf(this.#view)).multiplyScalar(distance);
    this.#camera.position.add(this.#controls.target);
    this.#camera.aspect = aspect;
    this.#controls.zoomToCursor = !this.#split;
    this.#controls.update();
  }

  #orbit(): OrbitControls {
    const controls = new OrbitControls(this.#camera, this.canvas);
    controls.enableDamping = true;
    controls.dampingFactor = 0.2;
    controls.minDistance = 0.3;
    controls.maxDistance = 40;
    controls.mouseButtons = { LEFT: MOUSE.ROTATE, MIDDLE: MOUSE.PAN, RIGHT: MOUSE.PAN };
    controls.touches = { ONE: TOUCH.ROTATE, TWO: TOUCH.DOLLY_PAN };
    let held = false;
    controls.addEventListener("start", () => {
      held = true;
    });
    controls.addEventListener("end", () => {
      held = false;
    });
    controls.addEventListener("change", () => {
      // A click alone leaves the view as it is.
      if (held) this.#view = null;
      this.onChange();
    });
    return controls;
  }
}
