type Listener = (value: never) => void;

/** Listeners by the name of what happens. */
export class Events<Kinds extends object> {
  readonly #listeners = new Map<keyof Kinds, Set<Listener>>();

  on<Name extends keyof Kinds>(name: Name, listener: (value: Kinds[Name]) => void): () => void {
    const found = this.#listeners.get(name) ?? new Set<Listener>();
    this.#listeners.set(name, found);
    found.add(listener as Listener);
    return () => {
      found.delete(listener as Listener);
    };
  }

  emit<Name extends keyof Kinds>(name: Name, value: Kinds[Name]): void {
    for (const listener of this.#listeners.get(name) ?? []) {
      (listener as (value: Kinds[Name]) => void)(value);
    }
  }
}
