/** How talking stands. */
export type TalkPhase =
  | "off"
  /** The browser asks the person for the microphone. */
  | "asking"
  /** The microphone is open, only to look at its level. */
  | "checking"
  /** The server has been told, and has not answered yet. */
  | "starting"
  | "talking"
  /** The server makes a take of what was said. */
  | "keeping";

export type TalkTrouble =
  | "denied"
  | "no-device"
  | "busy"
  | "unplugged"
  | "insecure"
  | "no-worklet"
  | "lost"
  | "refused";

export interface TalkState {
  readonly phase: TalkPhase;
  readonly trouble: TalkTrouble | null;
  /** What there is to add, such as what the server said about it. */
  readonly detail: string;
}

export type TalkEvent =
  | { readonly type: "start" }
  | { readonly type: "check" }
  | { readonly type: "opened"; readonly forTalk: boolean }
  | { readonly type: "failed"; readonly trouble: TalkTrouble; readonly detail?: string }
  | { readonly type: "heard"; readonly on: boolean }
  | { readonly type: "keep" }
  | { readonly type: "discard" }
  | { readonly type: "take" }
  | { readonly type: "refused"; readonly text: string }
  | { readonly type: "disconnected" };

export const OFF: TalkState = { phase: "off", trouble: null, detail: "" };

/** Whether the microphone is needed. */
export function listens(phase: TalkPhase): boolean {
  return phase === "checking" || phase === "starting" || phase === "talking";
}

/** What follows; an event that does not fit changes nothing. */
export function next(state: TalkState, event: TalkEvent): TalkState {
  const { phase } = state;
  switch (event.type) {
    case "start":
      if (phase === "checking") return at("starting");
      return phase === "off" ? at("asking") : state;
    case "check":
      return phase === "off" ? at("asking") : phase === "checking" ? OFF : state;
    case "opened":
      return phase === "asking" ? at(event.forTalk ? "starting" : "checking") : state;
    case "failed":
      return phase === "asking" || listens(phase) ? { phase: "off", trouble: event.trouble, detail: event.detail ?? "" } : state;
    case "heard":
      return heard(state, event.on);
    case "keep":
      return phase === "talking" || phase === "starting" ? at("keeping") : state;
    case "discard":
      return phase === "talking" || phase === "starting" ? OFF : state;
    case "take":
      return phase === "keeping" ? OFF : state;
    case "refused":
      return phase === "off" ? state : { phase: "off", trouble: "refused", detail: event.text };
    case "disconnected":
      if (phase === "checking" || phase === "off" || phase === "asking") return state;
      return { ...OFF, trouble: "lost" };
  }
}

/** `on` may still be about the talk before, so an end counts only where a beginning was seen. */
function heard(state: TalkState, on: boolean): TalkState {
  if (state.phase === "starting" && on) return at("talking");
  if (state.phase === "talking" && !on) return OFF;
  return state;
}

function at(phase: TalkPhase): TalkState {
  return { ...OFF, phase };
}

/** What went wrong and what to do about it. */
export function advice(trouble: TalkTrouble, detail = ""): string {
  switch (trouble) {
    case "denied":
      return "The microphone is blocked. Allow it with the icon in the address bar, then start again.";
    case "no-device":
      return "No microphone was found. Plug one in, or use a recording below.";
    case "busy":
      return "The microphone could not be opened. Close other programs that use it, then start again.";
    case "unplugged":
      return ["The microphone was unplugged.", detail, "Plug it in or choose another one, then start again."].filter(Boolean).join(" ");
    case "insecure":
      return "Browsers allow a microphone only on pages of this computer or with https URLs. Open the studio on the computer that it runs on, or use a recording below.";
    case "no-worklet":
      return "The page's audio module did not load. Reload the page.";
    case "lost":
      return "The connection was lost, so the recording has ended.";
    case "refused":
      return detail || "The studio could not start. Try again.";
  }
}

/** The trouble that a refusal of the browser's `getUserMedia` means. */
export function troubleOf(name: string): TalkTrouble {
  if (name === "NotAllowedError" || name === "SecurityError") return "denied";
  if (name === "NotFoundError" || name === "OverconstrainedError") return "no-device";
  return "busy";
}
