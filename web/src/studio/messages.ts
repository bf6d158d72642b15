// Written by `python -m tools.wire_types`; change the dataclasses.

export const VERSION = 2;
export const CLIP = 1;
export const LIVE = 2;
export const SOUND = 3;

/** A received file. */
export interface Uploaded {
  /** Its id for later requests. */
  readonly upload: string;
}

/** Why a file was not received. */
export interface UploadRefused {
  readonly problem: string;
}

/** First message of a page: its protocol version, and its earlier session, if any. */
export interface Hello {
  readonly type: "hello";
  readonly version: number;
  readonly session?: string;
}

/** The text or voice, and the speaker's settings. */
export interface Speaking {
  /** With or without markup; for a recording its transcript, or empty. */
  readonly text: string;
  /** A speaker's name, or the id of an upload that contains one. */
  readonly style: string;
  /** `auto`, `en` or `de`. */
  readonly language: string;
  /** Name of a synthetic voice; empty for the best one installed. */
  readonly voice: string;
  /** Tempo of the voice. */
  readonly rate: number;
  /** How much the speaker gestures. */
  readonly amount: number;
  /** Of the random choices; another seed gives another performance. */
  readonly seed: number;
  /** Body-language model for a voice: a name, or the id of an upload that contains one. */
  readonly model: string;
  /** How restless the stance is: a name, a number from 0 to 1, or empty for the speaker's own. */
  readonly stance: string;
}

/** A point of one factor's curve for one part of the body. */
export interface PhrasePoint {
  readonly part: string;
  readonly factor: string;
  readonly time_s: number;
  readonly value: number;
}

/** Muscular tension: rest error in metres and damping ratio zeta. */
export interface TensionSetting {
  readonly error_m: number;
  readonly zeta: number;
}

/** Direction settings: how the movement is performed. */
export interface Directing {
  /** Manner words such as `slightly proudly`. */
  readonly manner: string;
  /** Part of the body to factor to value from -1 to 1. */
  readonly parts: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Points of curves; they replace the constant value of their factor and part. */
  readonly phrase: readonly PhrasePoint[];
  /** None for the performance's default. */
  readonly tension: TensionSetting | null;
  /** What is simulated physically. */
  readonly physics: "off" | "wrists" | "body";
}

/** A gesture on the timeline. */
export interface DocumentGesture {
  /** Constant while a gesture is edited. */
  readonly id: number;
  readonly lexeme: string;
  readonly hands: string;
  /** End of the stroke, or start of a hold gesture's hold; stroke duration. */
  readonly time_s: number;
  readonly stroke_s: number;
  /** Duration of the hold after the stroke. */
  readonly hold_s: number;
  /** Hand positions, `height/distance/radial/inclination`; empty if not given. */
  readonly start: string;
  readonly end: string;
  /** That triggered it. */
  readonly words: string;
  /** Why it was chosen. */
  readonly reason: string;
  /** Time of those words, or None. */
  readonly anchor: readonly [number, number] | null;
  /** Moved by the user, so that its time is kept exactly. */
  readonly pinned: boolean;
}

/** Everything that makes a take. */
export interface Document {
  /** Used in file names. */
  readonly title: string;
  /** Kind of input. */
  readonly source: "nothing" | "text" | "voice" | "motion";
  readonly speaking: Speaking;
  readonly directing: Directing;
  /** Ids of uploads; empty for none. */
  readonly sound: string;
  readonly motion: string;
  readonly character: string;
  /** In order of time; for a text they correspond one to one to those of `script`. */
  readonly gestures: readonly DocumentGesture[];
  /** The gesture script of a text (appendix A of the 2008 paper), empty before it is performed. */
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
  /** Of the samples. */
  readonly rate_hz: number;
  /** Settings; model, amount, stance and seed are used. */
  readonly speaking: Speaking;
}

/** End live motion; `keep` makes a take of the recorded audio. */
export interface TalkStop {
  readonly type: "talk-stop";
  readonly keep?: boolean;
}

/** An option: its name, its label for the user, and a group. */
export interface MenuChoice {
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
  /** Id for reconnecting; `known` if it is the one that was requested. */
  readonly session: string;
  readonly known: boolean;
  readonly styles: readonly MenuChoice[];
  readonly voices: readonly MenuChoice[];
  readonly models: readonly MenuChoice[];
  readonly formats: readonly MenuChoice[];
  readonly lexemes: readonly LexemeChoice[];
  readonly manners: readonly string[];
  readonly markup: readonly MenuChoice[];
  /** Dimension of a hand position to its names, from the top. */
  readonly places: Readonly<Record<string, readonly string[]>>;
  readonly parts: readonly MenuChoice[];
  readonly factors: readonly MenuChoice[];
  /** Tension presets by name. */
  readonly tensions: Readonly<Record<string, readonly [number, number]>>;
  /** How restless a stance may be, from the speaker's own and still to restless. */
  readonly stances: readonly MenuChoice[];
  /** Suffix to the largest upload in bytes. */
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
  readonly styles: readonly MenuChoice[];
  readonly models: readonly MenuChoice[];
}

/** The character on which takes are shown from now on. */
export interface FigureReady {
  readonly type: "figure-ready";
  readonly id: number;
  readonly name: string;
  /** Of its GLB or VRM. */
  readonly url: string;
  readonly vrm: boolean;
  /** Names of nodes in the order of a frame; `root` is the one that also has a position. */
  readonly joints: readonly string[];
  /** Face shapes, in the order of a frame. */
  readonly shapes: readonly string[];
  /** Humanoid bone to name of the node. */
  readonly bones: Readonly<Record<string, string>>;
  /** A frame of the rest pose, as base64. */
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
  /** Its number. */
  readonly take: number;
  /** Of the document from which it was made. */
  readonly revision: number;
  readonly figure: number;
  readonly fps: number;
  readonly frames: number;
  /** Whether it is the take without direction settings, for comparison. */
  readonly plain: boolean;
  /** False for the first part of a longer take that is still being made. */
  readonly whole: boolean;
  /** URL of its audio; empty for none. */
  readonly sound: string;
  readonly rows: readonly TimelineRow[];
  /** Messages for the user. */
  readonly notes: readonly string[];
  /** Computing time. */
  readonly made_s: number;
}

/** State of a job. */
export interface JobProgress {
  readonly type: "job-progress";
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
  /** Whether audio is accepted. */
  readonly on: boolean;
  /** Level of the last audio, 0 is full scale. */
  readonly level_db: number;
  /** Duration of the audio received. */
  readonly heard_s: number;
  /** Median computing time of the last chunks. */
  readonly step_ms: number;
  /** Whether there is speech. */
  readonly speaking: boolean;
}

/** A request that failed; `about` is its type. */
export interface RequestFailed {
  readonly type: "request-failed";
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
  | FigureReady
  | TakeReady
  | JobProgress
  | Exported
  | Report
  | Talking
  | RequestFailed;
