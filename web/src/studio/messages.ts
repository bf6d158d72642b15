// Written by `python -m kinesphere.studio.typescript`; change the Python side instead.

export const VERSION = 1;
export const CLIP = 1;
export const LIVE = 2;
export const SOUND = 3;

/** First message of a page: what it speaks, and which session it had before, if any. */
export interface Hello {
  readonly type: "hello";
  readonly version: number;
  readonly session?: string;
}

/** What is said, and how. */
export interface Speaking {
  readonly text: string;
  readonly style: string;
  readonly language: string;
  readonly voice: string;
  readonly rate: number;
  readonly amount: number;
  readonly seed: number;
  readonly model: string;
}

/** A point of a factor's curve: of one part of the body, at a time. */
export interface PhrasePoint {
  readonly part: string;
  readonly factor: string;
  readonly time_s: number;
  readonly value: number;
}

/** Muscular tension by its two numbers: rest error in metres, and zeta. */
export interface Tension {
  readonly error_m: number;
  readonly zeta: number;
}

/** How it is done. */
export interface Directing {
  readonly manner: string;
  readonly parts: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly phrase: readonly PhrasePoint[];
  readonly tension: Tension | null;
  readonly physics: "off" | "wrists" | "body";
}

/** A gesture on the timeline. */
export interface Gesture {
  readonly id: number;
  readonly lexeme: string;
  readonly hands: string;
  readonly time_s: number;
  readonly stroke_s: number;
  readonly hold_s: number;
  readonly start: string;
  readonly end: string;
  readonly words: string;
  readonly reason: string;
  readonly anchor: readonly [number, number] | null;
  readonly pinned: boolean;
}

/** Everything that makes a take. */
export interface Document {
  readonly title: string;
  readonly source: "nothing" | "text" | "voice" | "motion";
  readonly speaking: Speaking;
  readonly directing: Directing;
  readonly sound: string;
  readonly motion: string;
  readonly character: string;
  readonly gestures: readonly Gesture[];
  readonly script: string;
}

/** A document that the page still has after the server was started anew. */
export interface Restore {
  readonly type: "restore";
  readonly document: Document;
}

/** Perform a text (anew). */
export interface Perform {
  readonly type: "perform";
  readonly speaking: Speaking;
}

/** Change how it is done; changes with the same `group` are undone together. */
export interface Direct {
  readonly type: "direct";
  readonly directing: Directing;
  readonly group?: string;
}

/** Change a gesture; what is None stays. */
export interface EditGesture {
  readonly type: "edit-gesture";
  readonly id: number;
  readonly lexeme?: string | null;
  readonly hands?: string | null;
  readonly time_s?: number | null;
  readonly stroke_s?: number | null;
  readonly hold_s?: number | null;
  readonly start?: string | null;
  readonly end?: string | null;
}

/** Add a gesture whose stroke ends at a time. */
export interface AddGesture {
  readonly type: "add-gesture";
  readonly time_s: number;
  readonly lexeme: string;
  readonly hands?: string;
}

/** Delete a gesture. */
export interface DeleteGesture {
  readonly type: "delete-gesture";
  readonly id: number;
}

/** Take the last change back. */
export interface Undo {
  readonly type: "undo";
}

/** Do again what was taken back. */
export interface Redo {
  readonly type: "redo";
}

/** Move to a recording; with a text of what is said in it, perform that. */
export interface UseSound {
  readonly type: "use-sound";
  readonly upload: string;
  readonly speaking: Speaking;
}

/** Work on existing motion. */
export interface UseMotion {
  readonly type: "use-motion";
  readonly upload: string;
}

/** Show everything on another character; empty for the default one. */
export interface UseCharacter {
  readonly type: "use-character";
  readonly upload: string;
}

/** Make a speaker of annotations, or a model of motion with sound. */
export interface Learn {
  readonly type: "learn";
  readonly uploads: readonly string[];
  readonly what: "speaker" | "model";
  readonly name: string;
}

/** Write the take, or the project, as a file to download. */
export interface Export {
  readonly type: "export";
  readonly ending: string;
}

/** Open a project file. */
export interface OpenProject {
  readonly type: "open-project";
  readonly upload: string;
}

/** Begin with nothing. */
export interface NewProject {
  readonly type: "new-project";
}

/** Stop some work. */
export interface Cancel {
  readonly type: "cancel";
  readonly job: number;
}

/** Let the character move to sound that follows as bytes. */
export interface TalkStart {
  readonly type: "talk-start";
  readonly rate_hz: number;
  readonly speaking: Speaking;
}

/** End it; `keep` makes a take of what was said. */
export interface TalkStop {
  readonly type: "talk-stop";
  readonly keep?: boolean;
}

/** Something to choose: its name, what a person reads, and a group. */
export interface Choice {
  readonly name: string;
  readonly label: string;
  readonly group: string;
}

/** A gesture of the lexicon, and the hands that it can be done with. */
export interface LexemeChoice {
  readonly name: string;
  readonly kind: string;
  readonly meaning: string;
  readonly hands: readonly string[];
}

/** Answer to `Hello`. */
export interface Welcome {
  readonly type: "welcome";
  readonly version: number;
  readonly program: string;
  readonly session: string;
  readonly known: boolean;
  readonly styles: readonly Choice[];
  readonly voices: readonly Choice[];
  readonly models: readonly Choice[];
  readonly formats: readonly Choice[];
  readonly lexemes: readonly LexemeChoice[];
  readonly manners: readonly string[];
  readonly markup: readonly Choice[];
  readonly places: Readonly<Record<string, readonly string[]>>;
  readonly parts: readonly Choice[];
  readonly factors: readonly Choice[];
  readonly tensions: Readonly<Record<string, readonly [number, number]>>;
  readonly uploads: Readonly<Record<string, number>>;
  readonly longest_text: number;
}

/** The document as it is now, after any change. */
export interface Changed {
  readonly type: "changed";
  readonly document: Document;
  readonly revision: number;
  readonly can_undo: boolean;
  readonly can_redo: boolean;
  readonly undo_label: string;
  readonly redo_label: string;
}

/** Styles and models there are now. */
export interface Learned {
  readonly type: "learned";
  readonly styles: readonly Choice[];
  readonly models: readonly Choice[];
}

/** The character that takes are shown on from now on. */
export interface Figure {
  readonly type: "figure";
  readonly id: number;
  readonly name: string;
  readonly url: string;
  readonly vrm: boolean;
  readonly joints: readonly string[];
  readonly shapes: readonly string[];
  readonly bones: Readonly<Record<string, string>>;
  readonly home: string;
}

/** A row of the timeline: start, end and label of each interval. */
export interface TimelineRow {
  readonly name: string;
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  readonly labels: readonly string[];
}

/** A take has been made; its frames have come before, as bytes with the same number. */
export interface TakeReady {
  readonly type: "take-ready";
  readonly take: number;
  readonly revision: number;
  readonly figure: number;
  readonly fps: number;
  readonly frames: number;
  readonly plain: boolean;
  readonly whole: boolean;
  readonly sound: string;
  readonly rows: readonly TimelineRow[];
  readonly notes: readonly string[];
  readonly made_s: number;
}

/** Work that goes on. */
export interface Job {
  readonly type: "job";
  readonly job: number;
  readonly label: string;
  readonly state: "waiting" | "running" | "done" | "failed" | "cancelled";
  readonly ratio: number;
  readonly text: string;
}

/** A file to download. */
export interface Exported {
  readonly type: "exported";
  readonly name: string;
  readonly url: string;
  readonly size: number;
}

/** A page to look at. */
export interface Report {
  readonly type: "report";
  readonly title: string;
  readonly url: string;
}

/** Where the live character stands, a few times a second. */
export interface Talking {
  readonly type: "talking";
  readonly on: boolean;
  readonly level_db: number;
  readonly heard_s: number;
  readonly step_ms: number;
  readonly speaking: boolean;
}

/** Something that a person asked for cannot be; `about` is the type of the request. */
export interface Problem {
  readonly type: "problem";
  readonly text: string;
  readonly about: string;
}

export type Request =
  | Hello
  | Restore
  | Perform
  | Direct
  | EditGesture
  | AddGesture
  | DeleteGesture
  | Undo
  | Redo
  | UseSound
  | UseMotion
  | UseCharacter
  | Learn
  | Export
  | OpenProject
  | NewProject
  | Cancel
  | TalkStart
  | TalkStop;

export type Reply =
  | Welcome
  | Changed
  | Learned
  | Figure
  | TakeReady
  | Job
  | Exported
  | Report
  | Talking
  | Problem;
