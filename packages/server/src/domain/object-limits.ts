/** New objects of one feed token in any 60 seconds. */
export const MAX_NEW_OBJECTS = 600

/** Why an object cannot be created: its organization is full, or its feed token has just created too many. */
export type ObjectLimit = 'limit_of_objects' | 'limit_of_new_objects'

/** The number of wanted objects that may be created, and the limit that stops the others, if any. */
export type WithinLimits = { count: number; beyond: ObjectLimit | null }

/** `free`: how many more the organization may have, and how many more the token may make just now. */
export function withinLimits(
  wanted: number,
  free: { objects: number; newObjects: number },
): WithinLimits {
  const count = Math.min(wanted, free.objects, free.newObjects)
  if (count === wanted) return { count, beyond: null }
  return {
    count,
    beyond: free.objects <= free.newObjects ? 'limit_of_objects' : 'limit_of_new_objects',
  }
}

/**
 * The seconds since the epoch whose new objects count against the limit of a token now. A second counts until
 * all of it is 60 seconds ago. The next seconds count as well: another process may have a clock that is ahead.
 * Later seconds do not count, or a clock that was set back by an hour would stop a token for an hour.
 */
export function countedSeconds(now: number): { from: number; second: number; to: number } {
  const second = Math.floor(now / 1_000)
  return { from: second - 60, second, to: second + 60 }
}
