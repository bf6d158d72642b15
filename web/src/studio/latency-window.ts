/** Latencies of the last few seconds, and what a person wants to know of them. */
export class LatencyWindow {
  readonly #lengthMs: number;
  #times: number[] = [];
  #values: number[] = [];

  constructor(lengthS = 5) {
    this.#lengthMs = 1000 * lengthS;
  }

  get count(): number {
    return this.#values.length;
  }

  /** A stamp that is none (0, NaN) or lies ahead is left out. */
  add(nowMs: number, stampMs: number): void {
    if (!(stampMs > 0 && stampMs <= nowMs)) return;
    this.#times.push(nowMs);
    this.#values.push(nowMs - stampMs);
    this.#forget(nowMs);
  }

  /** Median and 95th percentile in milliseconds (nearest rank), or null if nothing came lately. */
  reading(nowMs: number): { readonly median: number; readonly p95: number } | null {
    this.#forget(nowMs);
    if (this.#values.length === 0) return null;
    const sorted = Float64Array.from(this.#values).sort();
    const at = (share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
    return { median: at(0.5), p95: at(0.95) };
  }

  clear(): void {
    this.#times = [];
    this.#values = [];
  }

  #forget(nowMs: number): void {
    let old = 0;
    while (old < this.#times.length && (this.#times[old] ?? 0) < nowMs - this.#lengthMs) old += 1;
    if (old === 0) return;
    this.#times.splice(0, old);
    this.#values.splice(0, old);
  }
}
