/** What Python writes into the live page: `live_page.py` is the other end of every name here. */
export interface LiveData {
  readonly title: string;
  /** How many characters there are, and how many of them are shown. */
  readonly characters: number;
  readonly shown: number;
  /** Names of the joints and of the face's shapes, in the order of a frame. */
  readonly joints: readonly string[];
  readonly shapes: readonly string[];
  /** Base64 of a body at rest, as a frame has it. */
  readonly home: string;
  /** Id of the figure's file in the page. */
  readonly glb: string;
  /** Changes with anything in the page; the stream says which one it belongs to. */
  readonly name: string;
}

export function readLiveData(page: Document): LiveData {
  return JSON.parse(page.getElementById("kinesphere-live")?.textContent ?? "") as LiveData;
}
