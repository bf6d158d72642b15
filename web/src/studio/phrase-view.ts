import { timeAt, xOf } from "../timeline-layout";
import type { Span } from "../timeline-layout";

const SIDE = 12;
export const RULER = 18;
const WORDS = 16;
const LANE = 7;
/** How far out of the plot a point is dragged before it is removed. */
const OUT = 26;

/** Where things are in the phrase editor, in pixels. */
export class PhraseView {
  readonly width: number;
  readonly height: number;
  readonly span: Span;

  constructor(width: number, height: number, span: Span) {
    this.width = Math.max(width, 60);
    this.height = Math.max(height, 90);
    this.span = span;
  }

  get wordsTop(): number {
    return RULER;
  }

  get top(): number {
    return RULER + WORDS + 6;
  }

  get bottom(): number {
    return this.height - 2 * (LANE + 2) - 6;
  }

  /** Top of the lane of the left (0) or right (1) arm's phases. */
  laneTop(lane: number): number {
    return this.height - 2 * (LANE + 2) + lane * (LANE + 2);
  }

  readonly laneHeight = LANE;

  x = (time: number): number => SIDE + xOf(time, this.span, this.width - 2 * SIDE);

  y = (value: number): number => this.top + ((1 - value) / 2) * (this.bottom - this.top);

  time(x: number): number {
    return timeAt(x - SIDE, this.span, this.width - 2 * SIDE);
  }

  value(y: number): number {
    return 1 - (2 * (y - this.top)) / (this.bottom - this.top);
  }

  /** Seconds of so many pixels. */
  seconds(pixels: number): number {
    return (pixels / (this.width - 2 * SIDE)) * (this.span.end - this.span.start);
  }

  outside(x: number, y: number): boolean {
    return y < this.top - OUT || y > this.bottom + OUT || x < -OUT || x > this.width + OUT;
  }
}
