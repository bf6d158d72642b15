import { button, element } from "../dom";
import { icon } from "../icons";
import type { JobProgress } from "./messages";

/** Work shorter than this is not worth showing. */
const PATIENCE_MS = 350;

interface Line {
  readonly root: HTMLElement;
  readonly bar: HTMLProgressElement;
  readonly text: HTMLElement;
}

/** Work that goes on, each with how far it is and a way to stop it. */
export class JobsView {
  readonly root = element("div", { class: "jobs", "aria-label": "Work in progress", role: "region" });
  readonly #cancel: (job: number) => void;
  readonly #lines = new Map<number, Line>();
  readonly #since = new Map<number, number>();
  #jobs: readonly JobProgress[] = [];

  constructor(cancel: (job: number) => void) {
    this.#cancel = cancel;
  }

  show(jobs: readonly JobProgress[]): void {
    this.#jobs = jobs;
    const now = performance.now();
    for (const { job } of jobs) {
      if (this.#since.has(job)) continue;
      this.#since.set(job, now);
      setTimeout(() => this.#draw(), PATIENCE_MS);
    }
    this.#draw();
  }

  #draw(): void {
    const now = performance.now();
    for (const [number, line] of this.#lines) {
      if (this.#jobs.some(({ job }) => job === number)) continue;
      line.root.remove();
      this.#lines.delete(number);
    }
    for (const job of this.#jobs) {
      if (now - (this.#since.get(job.job) ?? now) < PATIENCE_MS - 20) continue;
      const line = this.#lines.get(job.job) ?? this.#add(job);
      line.text.textContent = job.text && job.text !== job.label ? `${job.label}: ${job.text}` : job.label;
      if (job.state === "running" && job.ratio > 0) line.bar.value = job.ratio;
      else line.bar.removeAttribute("value");
    }
  }

  #add(job: JobProgress): Line {
    const text = element("span");
    const bar = element("progress", { max: "1", "aria-label": job.label });
    const stop = button({ label: `Cancel: ${job.label}`, icon: icon("close") }, () => this.#cancel(job.job));
    const root = element("div", { class: "job" }, element("div", { class: "job-body" }, text, bar), stop);
    root.dataset["job"] = String(job.job);
    const line = { root, bar, text };
    this.#lines.set(job.job, line);
    this.root.append(root);
    return line;
  }
}
