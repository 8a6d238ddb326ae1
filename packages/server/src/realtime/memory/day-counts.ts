import { IDS_PER_PAGE, idPages, placeOf } from '../../domain/id-pages.ts'

/** Objects with their counters. */
export type Counted = Iterable<readonly [object: number, count: number]>

/** Of each object, how often something was counted; of whatever was never counted, 0. */
export type DayCounts = Counted & {
  get(object: number): number
  /** What the counter is then. */
  add(object: number, delta: number): number
}

/**
 * Counters in pages by id, of which a charge of an organization's objects touches a few: in a `Map` each
 * lies somewhere else in memory, which for many objects is what a charge takes longest for. A page takes some
 * 500 bytes.
 */
export function dayCounts(): DayCounts {
  const pages = idPages(() => new Int32Array(IDS_PER_PAGE))

  return {
    get: (object) => pages.find(object)?.[placeOf(object)] ?? 0,
    add(object, delta) {
      const page = pages.of(object)
      const count = page[placeOf(object)]! + delta
      page[placeOf(object)] = count
      return count
    },
    *[Symbol.iterator]() {
      for (const [first, page] of pages.entries()) {
        // Not by `entries()`, which makes an array for each of them.
        for (let i = 0; i < IDS_PER_PAGE; i += 1) {
          const count = page[i]!
          if (count !== 0) yield [first + i, count]
        }
      }
    },
  }
}
