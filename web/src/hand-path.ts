import {
  BufferGeometry,
  Color,
  DataTexture,
  Float32BufferAttribute,
  Group,
  Line,
  LineBasicMaterial,
  Points,
  PointsMaterial,
} from "three";

import { dotsEvery, drawnRange, type PathMode } from "./path-samples";

const DOTS_A_SECOND = 30;
const DOT_PIXELS = 4;

/** The way of a hand through the air: a line, and dots in equal times, so that dense is slow. */
export class HandPath {
  readonly group = new Group();
  readonly #times: Float64Array;
  readonly #every: number;
  readonly #geometry = new BufferGeometry();
  readonly #line = new LineBasicMaterial({ toneMapped: false });
  readonly #dotPlaces = new BufferGeometry();
  readonly #dots = new PointsMaterial({
    sizeAttenuation: false,
    map: disc(),
    alphaTest: 0.4,
    toneMapped: false,
  });

  constructor(places: Float32Array, times: Float64Array) {
    this.#times = times;
    this.#geometry.setAttribute("position", new Float32BufferAttribute(places, 3));
    this.#every = dotsEvery(times, DOTS_A_SECOND);
    const few = places.filter((_, i) => Math.floor(i / 3) % this.#every === 0);
    this.#dotPlaces.setAttribute("position", new Float32BufferAttribute(few, 3));
    const parts = [new Line(this.#geometry, this.#line), new Points(this.#dotPlaces, this.#dots)];
    for (const part of parts) part.frustumCulled = false;
    this.group.add(...parts);
  }

  show(mode: PathMode, time: number): void {
    const [first, count] = drawnRange(mode, time, this.#times);
    this.group.visible = count > 0;
    this.#geometry.setDrawRange(first, count);
    const firstDot = Math.ceil(first / this.#every);
    const lastDot = Math.floor((first + count - 1) / this.#every);
    this.#dotPlaces.setDrawRange(firstDot, Math.max(0, lastDot - firstDot + 1));
  }

  paint(colour: string, pixelRatio: number): void {
    this.#line.color = new Color(colour);
    this.#dots.color = new Color(colour);
    this.#dots.size = DOT_PIXELS * pixelRatio;
  }
}

/** A white disc of 16 by 16 pixels. */
function disc(): DataTexture {
  const pixels = new Uint8Array(16 * 16 * 4).fill(255);
  for (let i = 0; i < 256; i += 1) {
    const away = Math.hypot((i % 16) - 7.5, Math.floor(i / 16) - 7.5);
    pixels[4 * i + 3] = Math.round(255 * Math.min(Math.max(8 - away, 0), 1));
  }
  const texture = new DataTexture(pixels, 16, 16);
  texture.needsUpdate = true;
  return texture;
}
