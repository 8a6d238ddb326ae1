/** The columns of a row: the last look-up of one object. Times are device times, milliseconds. */
export const LATITUDE = 0
export const LONGITUDE = 1
export const AT = 2
/** The time from which on the same place may be looked up again. */
export const AGAIN_AT = 3
/** The time until which the object is expected to bring its own addresses. */
export const OWN_UNTIL = 4
const COLUMNS = 5

const NEVER_ASKED = [
  Number.NaN,
  Number.NaN,
  Number.NEGATIVE_INFINITY,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
]

/**
 * A row of about 110 bytes for each object, all in one array, because every packet reads one. As objects
 * they would take 180 bytes, and a read twice the time.
 */
export type AskedPlaces = {
  /** A row's columns follow each other. Read this after `rowOf`, which may replace it. */
  readonly values: Float64Array
  find(organization: number, object: number): number | undefined
  /** Creates a missing row, without a look-up. */
  rowOf(organization: number, object: number): number
  /** The organization's objects that have a row. */
  objects(organization: number): number[]
  drop(organization: number, object: number): void
  dropAll(organization: number): void
}

export function openAskedPlaces(): AskedPlaces {
  const rows = new Map<number, Map<number, number>>()
  const free: number[] = []
  let values = new Float64Array(COLUMNS * 1024)
  let end = 0

  function find(organization: number, object: number): number | undefined {
    return rows.get(organization)?.get(object)
  }

  function add(organization: number, object: number): number {
    const row = free.pop() ?? end
    if (row === end) end += COLUMNS
    if (end > values.length) {
      const larger = new Float64Array(values.length * 2)
      larger.set(values)
      values = larger
    }
    values.set(NEVER_ASKED, row)
    const ofOrganization = rows.get(organization) ?? new Map<number, number>()
    rows.set(organization, ofOrganization.set(object, row))
    return row
  }

  return {
    get values() {
      return values
    },
    find,
    rowOf: (organization, object) => find(organization, object) ?? add(organization, object),
    objects: (organization) => [...(rows.get(organization)?.keys() ?? [])],
    drop(organization, object) {
      const row = find(organization, object)
      if (row === undefined) return
      free.push(row)
      rows.get(organization)!.delete(object)
    },
    dropAll(organization) {
      for (const row of rows.get(organization)?.values() ?? []) free.push(row)
      rows.delete(organization)
    },
  }
}
