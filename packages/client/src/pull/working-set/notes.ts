import type { DatabaseSync } from 'node:sqlite'

/** Named texts of a folder. */
export type Notes = {
  get(name: string): string | undefined
  set(name: string, value: string): void
}

export function openNotes(database: DatabaseSync): Notes {
  const find = database.prepare('SELECT value FROM notes WHERE name = ?')
  const put = database.prepare('INSERT OR REPLACE INTO notes VALUES (?, ?)')
  return {
    get: (name) => find.get(name)?.value as string | undefined,
    set(name, value) {
      put.run(name, value)
    },
  }
}
