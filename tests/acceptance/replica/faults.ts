import type { Page, PageEntry } from '../../../packages/server/src/engine/changes/page.ts'
import type { ChangeView } from '../../../packages/server/src/engine/store/change-log.ts'

/** A fault of the server: changes pages on their way to the client, or what they are made from. */
export type Fault = {
  page?(page: Page): Page
  view?(view: ChangeView): ChangeView
}

/** Faults that a comparison must notice, by name. Each call makes a new one, because some keep pages. */
export const FAULTS: Readonly<Record<string, () => Fault>> = {
  'an entry of a page is dropped': () => inLog((entries) => entries.slice(1)),
  'an entry comes again out of turn': () => {
    let last: readonly PageEntry[] = []
    return inLog((entries) => {
      const again = [...entries, ...last]
      last = entries
      return again
    })
  },
  'a shift is applied twice': () =>
    inLog((entries) =>
      entries.flatMap<PageEntry>((entry) => (entry.type === 'counters' ? [entry, entry] : [entry])),
    ),
  'a shift is left out': () =>
    inLog((entries) => entries.filter((entry) => entry.type !== 'counters')),
  'commits come in another order': () => {
    let held: readonly PageEntry[] | undefined
    return inLog((entries) => {
      if (entries.length === 0) return entries
      const now = held === undefined ? [] : [...entries, ...held]
      held = held === undefined ? entries : undefined
      return now
    })
  },
  'a commit can be seen later than the next one': () => ({
    view: (view) => ({
      ...view,
      asOf: view.asOf,
      epoch: view.epoch,
      oldest: view.oldest,
      organization: view.organization,
      async changes(after, limit) {
        const read = await view.changes(after, limit)
        return read.filter(({ seq }) => seq !== view.asOf - 1)
      },
    }),
  }),
  'a deletion is not sent': () =>
    inLog((entries) => entries.filter((entry) => entry.op !== 'delete')),
}

/** Faults of derived records, in the same way. */
export const RECORD_FAULTS: Readonly<Record<string, () => Fault>> = {
  'a changed trip is not sent': () =>
    inLog((entries) => entries.filter(({ type, op }) => type !== 'trips' || op !== 'put')),
  'a deleted stop is not sent': () =>
    inLog((entries) => entries.filter(({ type, op }) => type !== 'stops' || op !== 'delete')),
  'a record is as it was before': () => {
    const first = new Map<number, PageEntry>()
    return inLog((entries) =>
      entries.map((entry) => {
        if (!('owned' in entry)) return entry
        const { id } = entry.owned
        if (!first.has(id)) first.set(id, entry)
        return first.get(id)!
      }),
    )
  },
}

/** Alters the pages after the snapshot. */
function inLog(alter: (entries: readonly PageEntry[]) => readonly PageEntry[]): Fault {
  return {
    page: (page) => (page.isSnapshot ? page : { ...page, entries: alter(page.entries) }),
  }
}
