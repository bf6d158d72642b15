/** What Python writes into the page: `html.py` is the other end of every name here. */

/** Start, end in seconds, label. */
export type IntervalData = readonly [number, number, string];

/** Time in seconds, value; null where there is none, such as the pitch of a silence. */
export type SampleData = readonly [number, number | null];

export interface TierData {
  readonly name: string;
  readonly intervals: readonly IntervalData[];
}

export interface CurveData {
  readonly name: string;
  readonly samples: readonly SampleData[];
}

export interface SceneData {
  readonly title: string;
  readonly glb: string;
  readonly audio: string | null;
  readonly fps: number;
  readonly frames: number;
  readonly vrm: boolean;
  /** Humanoid bone to the name of its node. */
  readonly bones: Readonly<Record<string, string>>;
  readonly tiers: readonly TierData[];
  readonly curves: readonly CurveData[];
}

export interface PageData {
  readonly title: string;
  readonly scenes: readonly SceneData[];
}

export function readPage(page: Document): PageData {
  return JSON.parse(page.getElementById("kinesphere-page")?.textContent ?? "") as PageData;
}
