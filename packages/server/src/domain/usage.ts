import type { KeyOperation } from './key-scope.ts'

/** How often an organization's key received one status from one operation on a UTC day. */
export type UsageCount = {
  organization: number
  /** `domain/time/time.ts`, `utcDay`. */
  day: number
  key: number
  operation: string
  status: number
  requests: number
}

/** How much of an object the answers to a key showed on a UTC day, of one kind of data. */
export type Disclosure = {
  organization: number
  /** `domain/time/time.ts`, `utcDay`. */
  day: number
  key: number
  object: number
  /** Id of the grant that the key had then (`KeptGrant`). 0: none. A later change of the key leaves it as it is. */
  granted: number
  /** The operations of a scope that gave it. */
  data: KeyOperation
  /** Requests whose answers had data of the object. */
  requests: number
  /** Positions, records, days and states of the object in these answers. */
  rows: number
}

/** The disclosures of an object under a grant, of one kind of data, over the days from `first` to `last`. */
export type DisclosureTotal = Pick<
  Disclosure,
  'key' | 'object' | 'granted' | 'data' | 'requests' | 'rows'
> & { first: number; last: number }

/** The objects in one answer, and the rows of each. Without `rows` each has one. */
export type Disclosed = { readonly objects: readonly number[]; readonly rows?: readonly number[] }
