import { element } from "../dom";
import { sentence } from "./fields";

/** Dimensions of a hand's place, in the order of its text. */
export const DIMENSIONS = ["height", "distance", "radial", "inclination"] as const;

type Places = Readonly<Record<string, readonly string[]>>;

/** A place as text, one dimension changed; from nothing the others become the middle ones. */
export function placeWith(places: Places, place: string, dimension: number, value: string): string {
  if (!value) return "";
  const parts = place ? place.split("/") : DIMENSIONS.map((name) => middle(places[name] ?? []));
  return DIMENSIONS.map((_, i) => (i === dimension ? value : (parts[i] ?? ""))).join("/");
}

function middle(names: readonly string[]): string {
  return names[Math.floor(names.length / 2)] ?? "";
}

/** Where a hand is, by height, distance, radial direction and inclination of the arm. */
export class PlaceField {
  readonly root: HTMLElement;
  readonly #selects: readonly HTMLSelectElement[];
  #places: Places = {};
  #place = "";

  constructor(label: string, change: (place: string) => void) {
    this.#selects = DIMENSIONS.map((name, i) => {
      const select = element("select", { "aria-label": `${label}: ${name}`, title: sentence(name) });
      select.addEventListener("change", () => change(placeWith(this.#places, this.#place, i, select.value)));
      return select;
    });
    this.root = element("fieldset", { class: "place" }, element("legend", {}, `${label}: `, element("small", {}, DIMENSIONS.join(" · "))), ...this.#selects);
  }

  show(places: Places, place: string): void {
    this.#places = places;
    this.#place = place;
    const parts = place.split("/");
    this.#selects.forEach((select, i) => {
      const dimension = DIMENSIONS[i] ?? "height";
      const options = (places[dimension] ?? []).map((name) => element("option", { value: name }, sentence(name)));
      const own = element("option", { value: "" }, place ? "As it comes" : sentence(dimension));
      select.replaceChildren(own, ...options);
      select.value = place ? (parts[i] ?? "") : "";
    });
  }
}
