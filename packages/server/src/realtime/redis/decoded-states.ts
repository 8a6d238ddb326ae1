import type { ObjectState } from '../../domain/object-state.ts'
import { unpackEntry } from './state-entry.ts'

/** Entries of one of the two generations. */
const GENERATION = 50_000

/** The state that an entry holds: the same object again while the object's entry is the same. */
export type DecodedStates = (object: number, entry: Buffer) => ObjectState

type Decoded = { entry: Buffer; state: ObjectState }

/**
 * Keeps what was decoded last, of 50,000 objects at least and twice as many at most: what is made of
 * a state can be kept with it, and an entry that has not changed is decoded once.
 */
export function decodedStates(): DecodedStates {
  let young = new Map<number, Decoded>()
  let old = new Map<number, Decoded>()

  return (object, entry) => {
    const known = young.get(object) ?? old.get(object)
    // A copy: what a reply is a part of may be much larger.
    const decoded = known?.entry.equals(entry)
      ? known
      : { entry: Buffer.from(entry), state: unpackEntry(entry) }
    if (young.size >= GENERATION && !young.has(object)) {
      old = young
      young = new Map()
    }
    young.set(object, decoded)
    return decoded.state
  }
}
