import { StoreUnavailable } from '../store/store.ts'

/** Idents that sent packets, noted in memory until they are written: as many as a list keeps. */
export type IdentNotes<Entry> = {
  /** Adds to the packets of an ident. */
  add(entry: Entry): void
  /** Writes what was noted. While the store does not answer, that stays in memory. */
  write(store: (entries: Entry[]) => Promise<void>): Promise<void>
}

/** `joined`: of an earlier and a later entry of an ident. */
export function identNotes<Entry extends { ident: string }>(
  most: number,
  joined: (before: Entry, after: Entry) => Entry,
): IdentNotes<Entry> {
  /** The latest sender last. */
  let noted = new Map<string, Entry>()

  function add(entry: Entry): void {
    const before = noted.get(entry.ident)
    noted.delete(entry.ident)
    noted.set(entry.ident, before === undefined ? entry : joined(before, entry))
    if (noted.size > most) noted.delete(noted.keys().next().value!)
  }

  return {
    add,
    async write(store) {
      if (noted.size === 0) return
      const written = [...noted.values()]
      noted = new Map()
      try {
        await store(written)
      } catch (error) {
        // Idents that were noted meanwhile are newer and come last.
        const newer = noted
        noted = new Map()
        for (const each of [...written, ...newer.values()]) add(each)
        if (!(error instanceof StoreUnavailable)) throw error
      }
    },
  }
}
