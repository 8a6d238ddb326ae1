import { IDS_PER_PAGE, idPages, indexInPage } from './id-pages.ts'

/** Values by id, in pages. */
export type IdMap<Value> = {
  get(id: number): Value | undefined
  set(id: number, value: Value): void
  delete(id: number): void
  entries(): Iterable<readonly [id: number, value: Value]>
}

export function idMap<Value>(): IdMap<Value> {
  const pages = idPages(() => new Array<Value | undefined>(IDS_PER_PAGE).fill(undefined))

  return {
    get: (id) => pages.find(id)?.[indexInPage(id)],
    set(id, value) {
      pages.of(id)[indexInPage(id)] = value
    },
    delete(id) {
      const page = pages.find(id)
      if (page !== undefined) page[indexInPage(id)] = undefined
    },
    *entries() {
      for (const [first, page] of pages.entries()) {
        for (const [place, value] of page.entries()) {
          if (value !== undefined) yield [first + place, value]
        }
      }
    },
  }
}
