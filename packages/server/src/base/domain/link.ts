import { DAY_MS } from './time/time.ts'

/** A link expires at most this long after it was created. */
export const MAX_LINK_DAYS = 90
export const MAX_LINK_MS = MAX_LINK_DAYS * DAY_MS

/** The most objects of a link that shows their ways: each has enough points for a line. */
export const MAX_WAY_OBJECTS = 50

/**
 * An organization keeps this many links that have ended, so that their readers have names in the disclosure ledger. Older
 * ones are deleted.
 */
export const MAX_ENDED_LINKS = 10_000

/** The path of the page of a link. Its data have the same one with `.json`. */
export function linkPath(token: string): string {
  return `/s/${token}`
}
