import type { ListNumber } from './list-number.ts'
import type { ObjectName } from './object-names.ts'

/** The names of the objects that are in view: on the map, and in the list. */
export type KnownObjects = {
  get(id: number): ObjectName | undefined
  /** Asks for those that are not known yet. */
  want(ids: number[]): void
  /** Called when more are known. */
  onMore(listener: () => void): () => void
}

export function knownObjects(
  list: ListNumber,
  of: (ids: number[]) => Promise<(ObjectName | undefined)[]>,
): KnownObjects {
  const objects = new Map<number, ObjectName>()
  const listeners = new Set<() => void>()
  let asked = new Set<number>()
  let asking: number[] = []
  let number = list.current()

  async function ask(): Promise<void> {
    const ids = asking
    asking = []
    try {
      for (const object of await of(ids)) if (object !== undefined) objects.set(object.id, object)
      for (const listener of listeners) listener()
    } catch {
      // They stay without names until they are asked for again.
      for (const id of ids) asked.delete(id)
    }
  }

  return {
    get: (id) => objects.get(id),
    want(ids) {
      // Objects are renamed, and those that had no name yet may have one now.
      const current = list.current()
      if (current !== number) asked = new Set()
      number = current
      const missing = ids.filter((id) => !asked.has(id))
      if (missing.length === 0) return
      for (const id of missing) asked.add(id)
      // One question for all rows that come into view together.
      if (asking.length === 0) queueMicrotask(ask)
      asking = asking.concat(missing)
    },
    onMore(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
