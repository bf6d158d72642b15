import { MOUSE, NeutralToneMapping, PCFShadowMap, PerspectiveCamera, Scene, TOUCH, Vector3, WebGLRenderer } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

import type { Colours } from "./colours";
import { directionOf, distanceFor, type Framing, grid, type Rect, standing, type ViewName } from "./framing";
import type { PosedFigure } from "./posed-figure";
import type { Level } from "./quality";
import { Room } from "./room";

const FOV_DEGREES = 28;
const FLOOR_M = 5;
const TALL_M = 1.75;

/** Which figures are seen: only the first, each in a view of its own, or all in one view. */
export type Arrangement = "first" | "each" | "all";

/**
 * Draws figures into parts of one canvas, all seen from the same side. The camera is the one that
 * a person moves; each view shifts it to where its figure is. Figures are posed elsewhere.
 */
export class Stage {
  readonly canvas: HTMLCanvasElement;
  /** Called when the camera has moved. */
  onChange: () => void = () => {};
  /** Milliseconds that the last picture took in the renderer. */
  renderMs = 0;
  readonly #renderer: WebGLRenderer;
  readonly #scene = new Scene();
  readonly #camera = new PerspectiveCamera(FOV_DEGREES, 1, 0.05, 200);
  readonly #eye = new PerspectiveCamera();
  readonly #controls: OrbitControls;
  readonly #centre = new Vector3();
  readonly #lit = new Vector3();
  readonly #figures: (PosedFigure | null)[] = [];
  #framing: Framing = standing(TALL_M);
  #room = new Room(FLOOR_M, TALL_M);
  #tall = TALL_M;
  #rects: readonly Rect[] = [];
  #arrangement: Arrangement;
  #view: ViewName | null = "angle";
  #width = 1;
  #height = 1;
  #inset = 0;
  #painted: { colours: Colours; dark: boolean } | null = null;
  #level: Level = 0;

  constructor(canvas: HTMLCanvasElement, arrangement: Arrangement) {
    this.canvas = canvas;
    this.#arrangement = arrangement;
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

  get arrangement(): Arrangement {
    return this.#arrangement;
  }

  set arrangement(arrangement: Arrangement) {
    this.#arrangement = arrangement;
    this.#tint();
    this.#place();
  }

  /** Pixels at the right that something else covers: figures stand beside it. */
  set inset(pixels: number) {
    if (pixels === this.#inset) return;
    this.#inset = pixels;
    this.#place();
  }

  set level(level: Level) {
    this.#level = level;
    this.#renderer.setPixelRatio(this.pixelRatio);
    this.#room.shadows = level < 2;
  }

  get pixelRatio(): number {
    const ratio = Math.min(window.devicePixelRatio, 2);
    return this.#level === 0 ? ratio : Math.min(ratio, 1);
  }

  /** Places of the views in the canvas, from its top left corner. */
  get rects(): readonly Rect[] {
    return this.#rects;
  }

  /** Put figures on the stage; those that leave it are disposed of. */
  put(figures: readonly (PosedFigure | null)[]): void {
    for (const before of this.#figures) {
      if (!before || figures.includes(before)) continue;
      this.#scene.remove(before.group);
      before.dispose();
    }
    for (const figure of figures) if (figure) this.#scene.add(figure.group);
    this.#figures.splice(0, Infinity, ...figures);
    this.#tint();
    this.#place();
  }

  /** Make a room whose floor reaches `radius` for what is `tall`, and look at what there is to see. */
  furnish(framing: Framing, tall: number, radius = Math.max(FLOOR_M, 2.5 * tall)): void {
    this.#tall = tall;
    this.#scene.remove(this.#room.group);
    this.#room = new Room(radius, tall);
    this.#room.shadows = this.#level < 2;
    if (this.#painted) this.paint(this.#painted.colours, this.#painted.dark);
    this.#scene.add(this.#room.group);
    this.framing = framing;
  }

  /** What there is to see. */
  set framing(framing: Framing) {
    this.#framing = framing;
    this.#frame();
  }

  paint(colours: Colours, dark: boolean): void {
    this.#painted = { colours, dark };
    this.#room.paint(colours.floor, colours.grid, dark);
    this.#tint();
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
    this.#show(shown);
    this.#eye.copy(this.#camera);
    this.#eye.position.add(this.#centre);
    this.#eye.aspect = rect.width / Math.max(rect.height, 1);
    if (this.#shift > 0) this.#eye.setViewOffset(rect.width, rect.height, this.#shift, 0, rect.width, rect.height);
    else this.#eye.clearViewOffset();
    this.#eye.updateProjectionMatrix();
    this.#room.lightUp(this.#lit.copy(this.#centre).setY(this.#tall / 2));
    const bottom = this.#height - rect.y - rect.height;
    this.#renderer.setViewport(rect.x, bottom, rect.width, rect.height);
    this.#renderer.setScissor(rect.x, bottom, rect.width, rect.height);
    const before = performance.now();
    this.#renderer.render(this.#scene, this.#eye);
    this.renderMs += performance.now() - before;
  }

  /** Show the figures of a view; it looks at the middle of where they are. */
  #show(view: number): void {
    let count = 0;
    this.#centre.set(0, 0, 0);
    for (let i = 0; i < this.#figures.length; i += 1) {
      const figure = this.#figures[i];
      if (!figure) continue;
      figure.group.visible = this.#arrangement === "all" || i === view;
      if (!figure.group.visible) continue;
      this.#centre.add(figure.focus);
      count += 1;
    }
    this.#centre.divideScalar(Math.max(count, 1));
  }

  /** How far one view's picture is moved to the left; several views are made narrower instead. */
  get #shift(): number {
    return this.#rects.length > 1 ? 0 : this.#inset / 2;
  }

  #place(): void {
    const count = this.#arrangement === "each" ? Math.max(this.#figures.length, 1) : 1;
    this.#rects = grid(count, Math.max(this.#width - (count > 1 ? this.#inset : 0), 2), this.#height);
    this.#frame();
  }

  #frame(): void {
    if (!this.#view) return;
    const rect = this.#rects[0] ?? { width: 1, height: 1 };
    const aspect = Math.max(rect.width - 2 * this.#shift, 1) / Math.max(rect.height, 1);
    const { middle, ...extent } = this.#framing(this.#view);
    const distance = distanceFor(extent, aspect, FOV_DEGREES);
    this.#controls.target.set(0, middle, 0);
    this.#camera.position.set(...directionOf(this.#view)).multiplyScalar(distance);
    this.#camera.position.add(this.#controls.target);
    this.#camera.aspect = aspect;
    this.#controls.zoomToCursor = this.#rects.length === 1;
    this.#controls.update();
  }

  #orbit(): OrbitControls {
    const controls = new OrbitControls(this.#camera, this.canvas);
    controls.enableDamping = true;
    controls.dampingFactor = 0.2;
    controls.minDistance = 0.3;
    controls.maxDistance = 60;
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

  /** Figures that stand in one place are told apart by colour. */
  #tint(): void {
    const colours = this.#painted?.colours;
    const tints = colours && this.#arrangement === "all" ? [colours.left, colours.right, colours.accent, colours.dim] : [];
    this.#figures.forEach((figure, i) => figure?.tint(tints[i % tints.length] ?? null));
  }
}
