import { MOTIONS, motionCode } from '../base/motion.ts'
import type { Fleet } from '../fleet/fleet.ts'

/** The rows of the list, and how many vehicles match the search in each motion. */
export type Arranged = { ids: Float64Array<ArrayBuffer>; counts: number[] }

/** An object that has sent no position yet: the other pages count it in the same way. */
const UNSEEN = motionCode('no_signal')

/**
 * The vehicles of the chosen motions: those that move first, because they are the ones that a dispatcher looks for and
 * talks to, then by name. Ages and speeds change with every packet, so a list sorted by them would never stand still.
 * `matches`: ids by name.
 */
export function arrange(
  fleet: Pick<Fleet, 'rowOf' | 'motion'> | undefined,
  matches: Float64Array,
  bits: number,
): Arranged {
  const codes = new Uint8Array(matches.length)
  const counts = MOTIONS.map(() => 0)
  for (let at = 0; at < matches.length; at++) {
    const row = fleet?.rowOf.get(matches[at]!)
    const code = row === undefined ? UNSEEN : fleet!.motion[row]!
    codes[at] = code
    counts[code]!++
  }
  let listed = 0
  const next = counts.map((count, code) => {
    const first = listed
    if ((bits >> code) & 1) listed += count
    return first
  })
  const ids = new Float64Array(listed)
  for (let at = 0; at < matches.length; at++) {
    const code = codes[at]!
    if ((bits >> code) & 1) ids[next[code]!++] = matches[at]!
  }
  return { ids, counts }
}

/** The numbers as they were, if the next ones are the same. */
export function kept<Numbers extends Float64Array>(
  before: Numbers | undefined,
  next: Numbers,
): Numbers {
  const isSame = before?.length === next.length && before.every((each, at) => each === next[at])
  return isSame ? before : next
}
