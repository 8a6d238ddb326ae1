/** How much of an object the answers to a key showed on a UTC day. */
export type Disclosure = {
  organization: number
  /** `domain/time/time.ts`, `utcDay`. */
  day: number
  key: number
  object: number
  /** Requests with something of the object in their answers. */
  requests: number
  /** Positions, records, days and states of the object in these answers. */
  rows: number
}

/** The objects in one answer, and the rows of each. Without `rows` each has one. */
export type Disclosed = { readonly objects: readonly number[]; readonly rows?: readonly number[] }
