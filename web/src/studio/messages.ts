// Written by `python -m kinesphere.studio.server.typescript`; change the dataclasses.

export const VERSION = 1;
export const CLIP = 1;
export const LIVE = 2;
export const SOUND = 3;

/** First message of a page: its protocol version, and its earlier session, if any. */
export interface Hello {
  readonly type: "hello";
  readonly version: number;
  readonly session?: string;
}

/** The text or voice, and the speaker's settings. */
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

/** A point of one factor's curve for one part of the body. */
export interface PhrasePoint {
  readonly part: string;
  readonly factor: string;
  readonly time_s: number;
  readonly value: number;
}

/** Muscular tension: rest error in metres and damping ratio zeta. */
export interface Tension {
  readonly error_m: number;
  readonly zeta: number;
}

/** Direction settings: how the movement is performed. */
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

/** A document that the page still has after a restart of the server. */
export interface Restore {
  readonly type: "restore";
  readonly document: Document;
}

/** Perform a text, also once more. */
export interface Perform {
  readonly type: "perform";
  readonly speaking: Speaking;
}

/** Change the direction settings; changes with the same `group` are undone together. */
export interface Direct {
  readonly type: "direct";
  readonly directing: Directing;
  readonly group?: string;
}

/** Change a gesture; fields that are None stay as they are. */
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

/** Undo the last change. */
export interface Undo {
  readonly type: "undo";
}

/** Redo the change that was undone last. */
export interface Redo {
  readonly type: "redo";
}

/** Generate motion from a recording, or perform its transcript if one is given. */
export interface UseSound {
  readonly type: "use-sound";
  readonly upload: string;
  readonly speaking: Speaking;
}

/** Load existing motion for editing. */
export interface UseMotion {
  readonly type: "use-motion";
  readonly upload: string;
}

/** Show takes on another character; empty for the default one. */
export interface UseCharacter {
  readonly type: "use-character";
  readonly upload: string;
}

/** Build a speaker from annotations, or train a model on motion with audio. */
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

/** Start an empty project. */
export interface NewProject {
  readonly type: "new-project";
}

/** Cancel a job. */
export interface Cancel {
  readonly type: "cancel";
  readonly job: number;
}

/** Start live motion from audio, which follows as binary packets. */
export interface TalkStart {
  readonly type: "talk-start";
  readonly rate_hz: number;
  readonly speaking: Speaking;
}

/** End live motion; `keep` makes a take of the recorded audio. */
export interface TalkStop {
  readonly type: "talk-stop";
  readonly keep?: boolean;
}

/** An option: its name, its label for the user, and a group. */
export interface Choice {
  readonly name: string;
  readonly label: string;
  readonly group: string;
}

/** A lexeme, and the hands that can perform it. */
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

/** The current document, sent after any change. */
export interface Changed {
  readonly type: "changed";
  readonly document: Document;
  readonly revision: number;
  readonly can_undo: boolean;
  readonly can_redo: boolean;
  readonly undo_label: string;
  readonly redo_label: string;
}

/** Available styles and models. */
export interface Learned {
  readonly type: "learned";
  readonly styles: readonly Choice[];
  readonly models: readonly Choice[];
}

/** The character on which takes are shown from now on. */
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

/** A finished take; its frames were sent before, in a binary packet with the same number. */
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

/** State of a job. */
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

/** A page to view. */
export interface Report {
  readonly type: "report";
  readonly title: string;
  readonly url: string;
}

/** State of live motion, sent a few times a second. */
export interface Talking {
  readonly type: "talking";
  readonly on: boolean;
  readonly level_db: number;
  readonly heard_s: number;
  readonly step_ms: number;
  readonly speaking: boolean;
}

/** A request that failed; `about` is its type. */
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
