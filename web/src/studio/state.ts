import type { Changed, Directing, Document, FigureReady, JobProgress, Reply, Speaking, Welcome } from "./messages";

/** Everything the page knows from the server except frames. */
export interface StudioState {
  readonly welcome: Welcome | null;
  readonly changed: Changed;
  readonly figure: FigureReady | null;
  /** Work that goes on, oldest first. */
  readonly jobs: readonly JobProgress[];
  /** Whether the character moves to the microphone. */
  readonly talking: boolean;
}

export const EMPTY_SPEAKING: Speaking = {
  text: "",
  style: "host",
  language: "auto",
  voice: "",
  rate: 1,
  amount: 1,
  seed: 1,
  model: "house",
  stance: "",
};

export const NEUTRAL: Directing = { manner: "", parts: {}, phrase: [], tension: null, physics: "off" };

export const EMPTY_DOCUMENT: Document = {
  title: "untitled",
  source: "nothing",
  speaking: EMPTY_SPEAKING,
  directing: NEUTRAL,
  sound: "",
  motion: "",
  character: "",
  gestures: [],
  script: "",
};

export const START: StudioState = {
  welcome: null,
  changed: {
    type: "changed",
    document: EMPTY_DOCUMENT,
    revision: 0,
    can_undo: false,
    can_redo: false,
    undo_label: "",
    redo_label: "",
  },
  figure: null,
  jobs: [],
  talking: false,
};

/** The state after a reply. */
export function reduced(state: StudioState, reply: Reply): StudioState {
  switch (reply.type) {
    case "welcome":
      // Work of a server that has gone has gone with it.
      return { ...state, welcome: reply, jobs: [], talking: false };
    case "changed":
      return { ...state, changed: reply };
    case "figure-ready":
      return { ...state, figure: reply };
    case "job-progress":
      return { ...state, jobs: withJob(state.jobs, reply) };
    case "learned":
      return state.welcome
        ? { ...state, welcome: { ...state.welcome, styles: reply.styles, models: reply.models } }
        : state;
    case "talking":
      return state.talking === reply.on ? state : { ...state, talking: reply.on };
    default:
      return state;
  }
}

function withJob(jobs: readonly JobProgress[], job: JobProgress): readonly JobProgress[] {
  const over = job.state !== "waiting" && job.state !== "running";
  if (over) return jobs.filter((j) => j.job !== job.job);
  if (!jobs.some((j) => j.job === job.job)) return [...jobs, job];
  return jobs.map((j) => (j.job === job.job ? job : j));
}

/** Whether directing leaves a take as it is. */
export function isNeutral(directing: Directing): boolean {
  const moved = Object.values(directing.parts).some((factors) => Object.values(factors).some((v) => v !== 0));
  return (
    !directing.manner.trim() && !moved && directing.phrase.length === 0 && directing.tension === null && directing.physics === "off"
  );
}

/** Whether there is nothing in a document that would be missed. */
export function isEmpty(document: Document): boolean {
  return (
    document.source === "nothing" && !document.character && !document.speaking.text.trim() && isNeutral(document.directing)
  );
}
