/** Where views go on the page, and cameras in the world. */

export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** How wide a standing figure with moving arms is to its height. */
const FIGURE_ASPECT = 0.75;

/** Rows and columns for `count` views in which figures come out largest; in reading order. */
export function grid(count: number, width: number, height: number): Rect[] {
  let columns = 1;
  let best = -1;
  for (let tried = 1; tried <= count; tried += 1) {
    const rows = Math.ceil(count / tried);
    const size = Math.min(width / tried / FIGURE_ASPECT, height / rows);
    if (size > best + 1e-9) [best, columns] = [size, tried];
  }
  const rows = Math.ceil(count / columns);
  return Array.from({ length: count }, (_, i) => {
    const [column, row] = [i % columns, Math.floor(i / columns)];
    const x = Math.round((column * width) / columns);
    const y = Math.round((row * height) / rows);
    const right = Math.round(((column + 1) * width) / columns);
    const bottom = Math.round(((row + 1) * height) / rows);
    return { x, y, width: right - x, height: bottom - y };
  });
}

/** Half extents of what is to be seen, in metres. */
export interface Extent {
  readonly across: number;
  readonly up: number;
}

/** Distance from which the extent fills a view, with some air around it. */
export function distanceFor(extent: Extent, aspect: number, fovDegrees: number): number {
  const slope = Math.tan((fovDegrees * Math.PI) / 360);
  const upright = extent.up / slope;
  const sideways = extent.across / (slope * Math.max(aspect, 0.05));
  return 1.1 * Math.max(upright, sideways) + extent.across;
}

/** What a view has to show: half extents, and how high the middle is. */
export type Framing = (view: ViewName) => Extent & { readonly middle: number };

/** How far to the side arms reach, to the height. */
export const ARMS = 0.34;

/** One who stands and gestures, of whom only the height at rest is known; metres. */
export function standing(tall: number): Framing {
  const across = ARMS * tall;
  return (view) => ({ across, up: view === "top" ? across : 0.52 * tall, middle: tall / 2 });
}

export type ViewName = "angle" | "front" | "side" | "top";

/** Azimuth from the front (+Z) towards the character's left (+X), and elevation; degrees. */
export const VIEWS: Readonly<Record<ViewName, readonly [number, number]>> = {
  angle: [24, 8],
  front: [0, 2],
  side: [90, 2],
  top: [0, 89.9],
};

/** Unit vector from the target to the camera. */
export function directionOf(view: ViewName): [number, number, number] {
  const [azimuth, elevation] = VIEWS[view].map((degrees) => (degrees * Math.PI) / 180) as [
    number,
    number,
  ];
  const flat = Math.cos(elevation);
  return [flat * Math.sin(azimuth), Math.sin(elevation), flat * Math.cos(azimuth)];
}
