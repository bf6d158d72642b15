import { MOUSE, NeutralToneMapping, PCFShadowMap, PerspectiveCamera, Scene, TOUCH, Vector3, WebGLRenderer } from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

import type { Colours } from "./colours";
import type { Figure } from "./figure";
import { directionOf, distanceFor, grid, type Rect, type ViewName } from "./framing";
import { HandPath } from "./hand-path";
import { type PathMode, pathTimes } from "./path-samples";
import type { Level } from "./quality";
import { Studio } from "./studio";

const FOV_DEGREES = 28;
const TRAVELS_M = 1.2;

/**
 * Draws every figure into a part of one canvas, all seen from the same side. The camera is the one
 * that a person moves; each view shifts it to where its figure is.
 */
export class Stage {
  readonly canvas: HTMLCanvasElement;
  /** Called when the camera has moved. */
  onChange: () => void = () => {};
  follow: boolean;
  readonly #figures: readonly Figure[];
  readonly #renderer: WebGLRenderer;
  readonly #scene = new Scene();
  readonly #camera = new PerspectiveCamera(FOV_DEGREES, 1, 0.05, 200);
  readonly #eye = new PerspectiveCamera();
  readonly #controls: OrbitControls;
  readonly #studio: Studio;
  readonly #paths: { left: HandPath | null; right: HandPath | null }[] = [];
  readonly #offset = new Vector3();
  readonly #size = new Vector3();
  #overlay = false;
  #view: ViewName | null = "angle";
  #pathMode: PathMode = "off";
  #pixelRatio = 1;
  #colours: Colours | null = null;
  #width = 1;
  #height = 1;

  constructor(canvas: HTMLCanvasElement, figures: readonly Figure[]) {
    this.canvas = canvas;
    this.#figures = figures;
    this.#renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true });
    this.#renderer.toneMapping = NeutralToneMapping;
    this.#renderer.shadowMap.enabled = true;
    this.#renderer.shadowMap.type = PCFShadowMap;
    this.#renderer.setScissorTest(true);
    const sizes = figures.map((figure) => figure.box.getSize(new Vector3()));
    for (const size of sizes) this.#size.max(size);
    this.follow = this.travels;
    this.#studio = new Studio(4 + Math.max(this.#size.x, this.#size.z), this.#size.y);
    this.#scene.add(this.#studio.group, ...figures.map((figure) => figure.root));
    this.#controls = this.#orbit();
    this.level = 0;
  }

  /** Whether a figure goes places, so that following it makes a difference. */
  get travels(): boolean {
    return Math.max(this.#size.x, this.#size.z) > this.#size.y * 0.6 + TRAVELS_M;
  }

  set overlay(on: boolean) {
    this.#overlay = on;
    this.#tint();
    this.#frame();
  }

  get view(): ViewName | null {
    return this.#view;
  }

  set view(view: ViewName | null) {
    this.#view = view;
    this.#frame();
  }

  set pathMode(mode: PathMode) {
    if (mode !== "off" && this.#paths.length === 0) this.#tracePaths();
    this.#pathMode = mode;
  }

  set level(level: Level) {
    const ratio = Math.min(window.devicePixelRatio, 2);
    this.#pixelRatio = level === 0 ? ratio : Math.min(ratio, 1);
    this.#renderer.setPixelRatio(this.#pixelRatio);
    this.#studio.shadows = level < 2;
  }

  paint(colours: Colours, dark: boolean): void {
    this.#colours = colours;
    this.#studio.paint(colours.floor, colours.grid, dark);
    this.#paintPaths();
    this.#tint();
  }

  /** Places of the views in the canvas, from its top left corner. */
  resize(width: number, height: number): readonly Rect[] {
    this.#width = Math.max(width, 1);
    this.#height = Math.max(height, 1);
    this.#renderer.setSize(this.#width, this.#height, false);
    this.#frame();
    return this.views();
  }

  views(): readonly Rect[] {
    return grid(this.#overlay ? 1 : this.#figures.length, this.#width, this.#height);
  }

  draw(time: number): void {
    this.#controls.update();
    this.#figures.forEach((figure, i) => {
      figure.pose(time);
      this.#paths[i]?.left?.show(this.#pathMode, time);
      this.#paths[i]?.right?.show(this.#pathMode, time);
    });
    this.views().forEach((rect, i) => this.#drawView(rect, i));
  }

  #drawView(rect: Rect, shown: number): void {
    this.#figures.forEach((figure, i) => {
      const visible = this.#overlay || i === shown;
      figure.root.visible = visible;
      const paths = this.#paths[i];
      if (paths?.left && !visible) paths.left.group.visible = false;
      if (paths?.right && !visible) paths.right.group.visible = false;
    });
    this.#centre(shown, this.#offset);
    this.#eye.copy(this.#camera);
    this.#eye.position.add(this.#offset);
    this.#eye.aspect = rect.width / Math.max(rect.height, 1);
    this.#eye.updateProjectionMatrix();
    this.#studio.lightUp(this.#offset.clone().setY(this.#size.y / 2));
    const bottom = this.#height - rect.y - rect.height;
    this.#renderer.setViewport(rect.x, bottom, rect.width, rect.height);
    this.#renderer.setScissor(rect.x, bottom, rect.width, rect.height);
    this.#renderer.render(this.#scene, this.#eye);
  }

  /** Where a view looks: the figure, or the middle of all the ways that it goes. */
  #centre(shown: number, into: Vector3): Vector3 {
    const figures = this.#overlay ? this.#figures : this.#figures.slice(shown, shown + 1);
    into.set(0, 0, 0);
    const one = new Vector3();
    for (const figure of figures) {
      into.add(this.follow ? figure.ground(one) : figure.box.getCenter(one).setY(0));
    }
    return into.divideScalar(Math.max(figures.length, 1));
  }

  #frame(): void {
    if (!this.#view) return;
    const rect = this.views()[0] ?? { width: 1, height: 1 };
    const [top, bottom] = this.#heights();
    const person = 0.32 * (top - bottom);
    const across = this.follow ? person : Math.max(this.#size.x, this.#size.z) / 2;
    const up = this.#view === "top" ? across : (top - bottom) / 2;
    const wide = this.#view === "front" || this.#view === "top" ? this.#size.x / 2 : across;
    const extent = { across: Math.max(this.follow ? person : wide, person), up };
    const distance = distanceFor(extent, rect.width / Math.max(rect.height, 1), FOV_DEGREES);
    this.#controls.target.set(0, (top + bottom) / 2, 0);
    this.#camera.position.set(...directionOf(this.#view)).multiplyScalar(distance);
    this.#camera.position.add(this.#controls.target);
    this.#camera.aspect = rect.width / Math.max(rect.height, 1);
    this.#controls.zoomToCursor = this.views().length === 1;
    this.#controls.update();
  }

  #heights(): [number, number] {
    const top = Math.max(...this.#figures.map((figure) => figure.box.max.y));
    const bottom = Math.min(0, ...this.#figures.map((figure) => figure.box.min.y));
    return [top, bottom];
  }

  #orbit(): OrbitControls {
    const controls = new OrbitControls(this.#camera, this.canvas);
    controls.enableDamping = true;
    controls.dampingFactor = 0.2;
    controls.minDistance = 0.3;
    controls.maxDistance = 60;
    controls.mouseButtons = { LEFT: MOUSE.ROTATE, MIDDLE: MOUSE.PAN, RIGHT: MOUSE.PAN };
    controls.touches = { ONE: TOUCH.ROTATE, TWO: TOUCH.DOLLY_PAN };
    controls.addEventListener("start", () => {
      this.#view = null;
    });
    controls.addEventListener("change", () => this.onChange());
    return controls;
  }

  #tracePaths(): void {
    for (const figure of this.#figures) {
      const times = pathTimes(figure.data.frames, figure.data.fps);
      const trace = (bone: string): HandPath | null => {
        const places = figure.path(bone, times);
        return places && new HandPath(places, times);
      };
      const paths = { left: trace("leftHand"), right: trace("rightHand") };
      for (const path of [paths.left, paths.right]) if (path) this.#scene.add(path.group);
      this.#paths.push(paths);
    }
    this.#paintPaths();
  }

  #paintPaths(): void {
    if (!this.#colours) return;
    for (const { left, right } of this.#paths) {
      left?.paint(this.#colours.left, this.#pixelRatio);
      right?.paint(this.#colours.right, this.#pixelRatio);
    }
  }

  #tint(): void {
    const colours = this.#colours;
    const tints = colours ? [colours.left, colours.right, colours.accent, colours.dim] : [];
    this.#figures.forEach((figure, i) => {
      figure.tint(this.#overlay ? (tints[i % tints.length] ?? null) : null);
    });
  }
}
