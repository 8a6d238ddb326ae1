import type { Page } from '../changes/page.ts'
import type { Disclosed } from '../domain/credential.ts'
import { FIX_RECORD } from '../domain/position/fix-record.ts'

/** The rows of each object in an answer whose rows belong to these objects. */
export function rowsByObject(objects: Iterable<number>): Disclosed {
  const rows = new Map<number, number>()
  for (const object of objects) rows.set(object, (rows.get(object) ?? 0) + 1)
  return disclosedOf(rows)
}

/** The rows of each object in runs of fix records. */
export function rowsOfRuns(
  runs: readonly { readonly object: number; readonly records: Uint8Array }[],
): Disclosed {
  const rows = new Map<number, number>()
  for (const { object, records } of runs) {
    rows.set(object, (rows.get(object) ?? 0) + rowsIn(records))
  }
  return disclosedOf(rows)
}

/** The positions, states and derived records of each object on a page of changes. */
export function disclosedIn({ entries }: Page): Disclosed {
  const rows = new Map<number, number>()
  for (const entry of entries) {
    if (entry.op !== 'put' || !('object' in entry) || typeof entry.object === 'number') continue
    const { id } = entry.object
    rows.set(id, (rows.get(id) ?? 0) + ('count' in entry ? entry.count : 1))
  }
  return disclosedOf(rows)
}

function disclosedOf(rows: ReadonlyMap<number, number>): Disclosed {
  return { objects: [...rows.keys()], rows: [...rows.values()] }
}

/** The rows of a block of whole fix records. */
export function rowsIn(block: Uint8Array): number {
  let rows = 0
  for (let at = 0; at < block.length; rows += 1) {
    const length = block[at + FIX_RECORD.length]! + block[at + FIX_RECORD.length + 1]! * 0x100
    // The encoder reports the damage.
    if (length < FIX_RECORD.optional) break
    at += length
  }
  return rows
}
