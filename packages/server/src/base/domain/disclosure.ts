import type { KeyOperation } from './key-scope.ts'

/**
 * The readers of an object's data: an API key, a link, a webhook, a person in the console, an administration token, or the
 * command line.
 */
export const DISCLOSURE_SOURCES = ['command', 'key', 'link', 'person', 'token', 'webhook'] as const
export type DisclosureSource = (typeof DISCLOSURE_SOURCES)[number]

/** How much of an object the answers to a reader showed on a UTC day, of one kind of data. */
export type Disclosure = {
  organization: number
  /** `base/domain/time/time.ts`, `utcDay`. */
  day: number
  source: DisclosureSource
  /** Its id among those of its source: of a key, a link, a webhook, an account, or a token. 0: the command line. */
  reader: number
  object: number
  /** Id of the disclosee that the key had then (`KeptDisclosee`). 0: none. A later change of the key leaves it as it is. */
  disclosee: number
  /** The operations of a scope that gave it. */
  data: KeyOperation
  /** Requests whose answers had data of the object. */
  requests: number
  /** Positions, records, days and states of the object in these answers. */
  rows: number
}

/** The disclosures of an object under a disclosee, of one kind of data, over the days from `first` to `last`. */
export type DisclosureTotal = Omit<Disclosure, 'organization' | 'day'> & {
  first: number
  last: number
}

/** The objects in one answer, and the rows of each. Without `rows` each has one. */
export type Disclosed = { readonly objects: readonly number[]; readonly rows?: readonly number[] }

/** `rows`: of each object in an answer. */
export function disclosedOf(rows: ReadonlyMap<number, number>): Disclosed {
  return { objects: [...rows.keys()], rows: [...rows.values()] }
}
