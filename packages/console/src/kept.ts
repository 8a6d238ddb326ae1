import { useSyncExternalStore } from 'react'

/** A value that components follow. */
export class Cell<Value> {
  #value: Value
  readonly #listeners = new Set<() => void>()

  constructor(value: Value) {
    this.#value = value
  }

  readonly get = (): Value => this.#value

  set(value: Value): void {
    this.#value = value
    for (const tell of this.#listeners) tell()
  }

  readonly subscribe = (tell: () => void) => {
    this.#listeners.add(tell)
    return () => {
      this.#listeners.delete(tell)
    }
  }
}

export function useCell<Value>(cell: Cell<Value>): Value {
  return useSyncExternalStore(cell.subscribe, cell.get)
}

/** A choice that the browser keeps, if it may: otherwise it lasts until the page is left. Null: none was made. */
export class Kept extends Cell<string | null> {
  readonly #key: string

  constructor(name: string) {
    const key = `fleetgate.${name}`
    super(storedAs(key))
    this.#key = key
  }

  override set(value: string | null): void {
    super.set(value)
    try {
      if (value === null) localStorage.removeItem(this.#key)
      else localStorage.setItem(this.#key, value)
    } catch {
      // Storage is forbidden.
    }
  }
}

function storedAs(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}
