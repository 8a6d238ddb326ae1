import { IDS_PER_PAGE, idPages, placeOf } from '../../domain/id-pages.ts'

/** Objects with their counters. */
export type Counted = Iterable<readonly [object: number, count: number]>

/** The counter of each object, in order; 0 if it was never charged. */
export type DayCounts = Counted & {
  get(object: number): number
  /** Returns the new value of the counter. */
  add(object: number, delta: number): number
}

/**
 * The counters of a day, in pages by id. Ids of one organization are close together, so a charge touches
 * a few pages; in a `Map` the cache misses would take most of the time of a charge of many objects. A
 * page takes about 500 bytes.
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
        // `entries()` would make an array for each counter.
        for (let i = 0; i < IDS_PER_PAGE; i += 1) {
          const count = page[i]!
          if (count !== 0) yield [first + i, count]
        }
      }
    },
  }
}
