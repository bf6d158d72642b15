import type { CurvePoint, SnapTarget } from "./phrase-curves";

/** Where an arrow key takes a point, and the boundary it is at then. */
export interface Step {
  readonly point: CurvePoint;
  readonly at: SnapTarget | null;
}

const SMALL = 0.05;
const LARGE = 0.2;

/** Sideways a frame, or with Shift to the next boundary; up and down a twentieth, or with Shift a fifth. */
export function stepped(
  key: string,
  shift: boolean,
  { time, value }: CurvePoint,
  targets: readonly SnapTarget[],
  frame: number,
): Step | null {
  const up = shift ? LARGE : SMALL;
  switch (key) {
    case "ArrowUp":
      return { point: { time, value: value + up }, at: null };
    case "ArrowDown":
      return { point: { time, value: value - up }, at: null };
    case "ArrowLeft": {
      const at = shift ? (targets.filter((target) => target.time < time - 1e-4).pop() ?? null) : null;
      return { point: { time: at?.time ?? time - frame, value }, at };
    }
    case "ArrowRight": {
      const at = shift ? (targets.find((target) => target.time > time + 1e-4) ?? null) : null;
      return { point: { time: at?.time ?? time + frame, value }, at };
    }
    default:
      return null;
  }
}
