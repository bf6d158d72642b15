// Written by `python -m tools.wire_types`; change the dataclasses.

/** A row of the timeline. */
export interface TierData {
  readonly name: string;
  /** Start and end in seconds, label. */
  readonly intervals: readonly (readonly [number, number, string])[];
}

/** A curve below the rows. */
export interface CurveData {
  readonly name: string;
  /** Time in seconds, value; None where there is none, such as the pitch of a silence. */
  readonly samples: readonly (readonly [number, number | null])[];
}

/** A scene as the page reads it. */
export interface SceneData {
  readonly title: string;
  /** Id of the attachment with character and animation. */
  readonly glb: string;
  /** Id of the attachment with the sound, if any. */
  readonly audio: string | null;
  readonly fps: number;
  readonly frames: number;
  readonly vrm: boolean;
  /** Humanoid bone to the name of its node. */
  readonly bones: Readonly<Record<string, string>>;
  readonly tiers: readonly TierData[];
  readonly curves: readonly CurveData[];
}

/** All that is written into a take's page, besides attachments. */
export interface PageData {
  readonly title: string;
  readonly scenes: readonly SceneData[];
}
