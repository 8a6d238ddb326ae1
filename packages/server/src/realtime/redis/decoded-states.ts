import type { ObjectState } from '../../domain/object-state.ts'
import { unpackEntry } from './state-entry.ts'

/** Entries in each of the two generations. */
const GENERATION = 50_000

/** Decodes an entry. Returns the same object again while the entry is unchanged. */
export type DecodedStates = (object: number, entry: Buffer) => ObjectState

type Decoded = { entry: Buffer; state: ObjectState }

/**
 * Keeps the decoded states of the 50,000 to 100,000 objects that were asked for last. An unchanged entry
 * is decoded once, and callers can attach what they derive from a state.
 */
export function decodedStates(): DecodedStates {
  let young = new Map<number, Decoded>()
  let old = new Map<number, Decoded>()

  return (object, entry) => {
    const known = young.get(object) ?? old.get(object)
    // Copy the entry: it may be a small part of a large reply, which it would keep in memory.
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
