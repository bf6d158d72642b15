// Written by `python -m tools.wire_types`; change the dataclasses.

export const KINDS = ["hello", "frame", "note", "alive", "end"] as const;

/** All that is written into a live page, besides the figure. */
export interface LiveData {
  readonly title: string;
  /** How many there are; `shown` of them are shown. */
  readonly characters: number;
  readonly shown: number;
  /** Names in the order of a frame; the first is the root, which also has a position. */
  readonly joints: readonly string[];
  /** Shapes of the face in the order of a frame. */
  readonly shapes: readonly string[];
  /** Base64 of a character at rest, as a frame has it. */
  readonly home: string;
  /** Id of the attachment with the figure. */
  readonly glb: string;
  /** Changes with anything in the page; the stream says to which one it belongs. */
  readonly name: string;
}
