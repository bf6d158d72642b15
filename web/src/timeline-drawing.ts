import type { Colours } from "./colours";
import { lookOf, sideOf } from "./gestures";
import { type CurveRow, type Row, type SoundRow, type Span, ticks, type TierRow, xOf } from "./timeline-layout";

export interface TimelineView {
  readonly context: CanvasRenderingContext2D;
  readonly colours: Colours;
  readonly span: Span;
  /** Width of the names on the left, and of what is right of them; pixels. */
  readonly gutter: number;
  readonly track: number;
}

const FONT = "12px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";
const SMALL = "11px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";

export const RULER = 26;

/** Times above the rows. */
export function drawRuler({ context, colours, span, gutter, track }: TimelineView): void {
  context.font = SMALL;
  context.textBaseline = "middle";
  context.textAlign = "center";
  context.fillStyle = colours.dim;
  const times = ticks(span, track);
  const step = (times[1] ?? 1) - (times[0] ?? 0);
  const digits = step >= 0.999 ? 0 : step >= 0.0999 ? 1 : 2;
  for (const time of times) {
    const text = time < 60 ? `${time.toFixed(digits)} s` : minutes(time, digits);
    const half = context.measureText(text).width / 2;
    const x = gutter + xOf(time, span, track);
    context.fillText(text, Math.min(x, gutter + track + 10 - half), RULER / 2);
  }
}

/** Faint lines at the same times, behind the rows. */
export function drawLines({ context, colours, span, gutter, track }: TimelineView, height: number): void {
  context.fillStyle = colours.line;
  for (const time of ticks(span, track)) {
    context.fillRect(Math.round(gutter + xOf(time, span, track)), 0, 1, height);
  }
}

function minutes(time: number, digits: number): string {
  const seconds = (time % 60).toFixed(digits).padStart(digits ? 3 + digits : 2, "0");
  return `${Math.floor(time / 60)}:${seconds}`;
}

export function drawRows(view: TimelineView, rows: readonly Row[]): void {
  for (const row of rows) {
    drawName(view, row);
    view.context.save();
    view.context.beginPath();
    view.context.rect(view.gutter - 1, row.y, view.track + 2, row.height);
    view.context.clip();
    if (row.kind === "tier") drawTier(view, row);
    else if (row.kind === "curve") drawCurve(view, row);
    else if (row.kind === "sound") drawSound(view, row);
    view.context.restore();
  }
}

function drawName({ context, colours, gutter, track }: TimelineView, row: Row): void {
  context.textAlign = "left";
  context.textBaseline = "middle";
  context.font = row.kind === "title" ? `600 ${FONT}` : gutter < 100 ? SMALL : FONT;
  context.fillStyle = row.kind === "title" ? colours.ink : colours.dim;
  const room = row.kind === "title" ? gutter + track : gutter - 16;
  const name = row.kind === "title" ? row.title : nameOf(row);
  context.fillText(fitted(context, name, room), 12, row.y + row.height / 2);
}

function nameOf(row: Exclude<Row, { kind: "title" }>): string {
  return row.kind === "tier" ? row.tier.name : row.kind === "curve" ? row.curve.name : (row.name ?? "sound");
}

/** The text, cut with an ellipsis where it does not fit; nothing where not even that does. */
export function fitted(context: Pick<CanvasRenderingContext2D, "measureText">, text: string, room: number): string {
  if (context.measureText(text).width <= room) return text;
  for (let length = text.length - 1; length > 1; length -= 1) {
    const cut = `${text.slice(0, length).trimEnd()}…`;
    if (context.measureText(cut).width <= room) return cut;
  }
  return "";
}

function drawTier(view: TimelineView, row: TierRow): void {
  const { context, colours, span, gutter, track } = view;
  const tall = row.height / row.laneCount;
  const side = sideOf(row.tier.name);
  const hue = side ? colours[side] : colours.accent;
  context.font = SMALL;
  row.tier.intervals.forEach(([start, end, label], i) => {
    const x = gutter + xOf(start, span, track);
    const width = gutter + xOf(end, span, track) - x;
    if (x + width < gutter || x > gutter + track) return;
    const y = row.y + tall * (row.lane[i] ?? 0);
    if (width < 0.5) drawMoment(context, x, y + tall / 2, hue);
    else drawChip(view, { x, y, width, tall, label, hue, look: lookOf(row.tier.name, label) });
  });
}

interface Chip {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly tall: number;
  readonly label: string;
  readonly hue: string;
  readonly look: ReturnType<typeof lookOf>;
}

const STRENGTH = { plain: 0, stroke: 1, hold: 0.45, way: 0.2 } as const;

function drawChip({ context, colours, gutter }: TimelineView, chip: Chip): void {
  const width = Math.max(chip.width - 1, 1);
  const strength = STRENGTH[chip.look];
  context.fillStyle = strength ? chip.hue : colours.chip;
  context.globalAlpha = strength || 1;
  context.beginPath();
  context.roundRect(chip.x, chip.y + 1, width, chip.tall - 2, Math.min(3, width / 2));
  context.fill();
  context.globalAlpha = 1;
  context.textAlign = "left";
  context.fillStyle = strength > 0.6 ? colours.panel : colours.ink;
  const from = Math.max(chip.x, gutter) + 5;
  const text = fitted(context, chip.label, chip.x + width - from - 3);
  if (text) context.fillText(text, from, chip.y + chip.tall / 2 + 0.5);
}

function drawMoment(context: CanvasRenderingContext2D, x: number, y: number, hue: string): void {
  context.fillStyle = hue;
  context.beginPath();
  context.moveTo(x, y - 6);
  context.lineTo(x + 4, y);
  context.lineTo(x, y + 6);
  context.lineTo(x - 4, y);
  context.fill();
}

function drawCurve({ context, colours, span, gutter, track }: TimelineView, row: CurveRow): void {
  context.strokeStyle = colours.accent;
  context.lineWidth = 1.5;
  context.lineJoin = "round";
  context.beginPath();
  let broken = true;
  for (const [time, value] of row.curve.samples) {
    if (value === null) {
      broken = true;
      continue;
    }
    const x = gutter + xOf(time, span, track);
    const ratio = (value - row.low) / (row.high - row.low);
    const y = row.y + 2 + (1 - ratio) * (row.height - 4);
    if (broken) context.moveTo(x, y);
    else context.lineTo(x, y);
    broken = false;
  }
  context.stroke();
}

function drawSound({ context, colours, span, gutter, track }: TimelineView, row: SoundRow): void {
  context.fillStyle = colours.dim;
  const middle = row.y + row.height / 2;
  const rate = row.peaks.length / row.duration;
  const loudest = row.peaks.reduce((most, peak) => Math.max(most, peak), 1e-3);
  for (let x = 0; x < track; x += 1) {
    const from = Math.floor((span.start + (x / track) * (span.end - span.start)) * rate);
    const to = Math.ceil((span.start + ((x + 1) / track) * (span.end - span.start)) * rate);
    let peak = 0;
    for (let i = from; i < Math.max(to, from + 1); i += 1) peak = Math.max(peak, row.peaks[i] ?? 0);
    if (from >= row.peaks.length) break;
    const half = Math.max(0.5, (peak / loudest) * (row.height / 2 - 1));
    context.fillRect(gutter + x, middle - half, 1, 2 * half);
  }
}

/** A clean canvas of that size in CSS pixels, ready to be drawn on in them; null where there is none. */
export function cleared(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D | null {
  const context = canvas.getContext("2d");
  if (!context) return null;
  const ratio = window.devicePixelRatio;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.height = `${height}px`;
  context.scale(ratio, ratio);
  return context;
}
