/** The tension pad: where a rest error and a zeta lie, from 0 to 1 each way. */

export const ERROR_RANGE_M = [0.001, 0.3] as const;
export const ZETA_RANGE = [0.1, 1] as const;

const RATIO = Math.log(ERROR_RANGE_M[1] / ERROR_RANGE_M[0]);

/** Place of a rest error, on a scale of its logarithm. */
export function xOfError(error_m: number): number {
  return limited(Math.log(error_m / ERROR_RANGE_M[0]) / RATIO);
}

/** The rest error at a place, to two digits that count. */
export function errorAt(x: number): number {
  return Number((ERROR_RANGE_M[0] * Math.exp(RATIO * limited(x))).toPrecision(2));
}

export function yOfZeta(zeta: number): number {
  return limited((zeta - ZETA_RANGE[0]) / (ZETA_RANGE[1] - ZETA_RANGE[0]));
}

export function zetaAt(y: number): number {
  return Math.round(100 * (ZETA_RANGE[0] + limited(y) * (ZETA_RANGE[1] - ZETA_RANGE[0]))) / 100;
}

function limited(ratio: number): number {
  return Math.min(Math.max(ratio, 0), 1);
}

/** A length as a person says it: 5 mm, 1.5 cm, 30 cm. */
export function lengthText(metres: number): string {
  const mm = 1000 * metres;
  return mm < 9.95 ? `${trimmed(mm)} mm` : `${trimmed(mm / 10)} cm`;
}

function trimmed(value: number): string {
  return String(Number(value.toFixed(1)));
}

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/**
 * Where labels beside dots do not cover each other or other dots and stay within the frame: right, left,
 * below or above of each dot, the first that is free, else the right.
 */
export function placedLabels(
  dots: readonly { readonly x: number; readonly y: number; readonly width: number }[],
  frame: { readonly width: number; readonly height: number },
  height = 12,
  gap = 7,
): Box[] {
  const taken: Box[] = dots.map((dot) => ({ x: dot.x - 4, y: dot.y - 4, width: 8, height: 8 }));
  return dots.map((dot) => {
    const { x, y, width } = dot;
    const centred = Math.min(Math.max(x - width / 2, 1), frame.width - width - 1);
    const places: Box[] = [
      { x: x + gap, y: y - height / 2, width, height },
      { x: x - gap - width, y: y - height / 2, width, height },
      { x: centred, y: y + gap - 1, width, height },
      { x: centred, y: y - gap - height + 1, width, height },
    ];
    const free = places.find((place) => inside(place, frame) && !taken.some((box) => overlap(box, place)));
    const found = free ?? places.find((place) => inside(place, frame)) ?? { x, y, width, height };
    taken.push(found);
    return found;
  });
}

function inside(box: Box, frame: { readonly width: number; readonly height: number }): boolean {
  return box.x >= 0 && box.y >= 0 && box.x + box.width <= frame.width && box.y + box.height <= frame.height;
}

function overlap(a: Box, b: Box): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}
