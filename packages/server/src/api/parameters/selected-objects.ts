import type { OwnObject, Roster } from '../../directory/fleet-object.ts'
import { idsRequired, type Refusal } from '../refusal.ts'
import type { Query } from '../request/query.ts'
import { listIn, ownIds, readIds } from './object-ids.ts'

/** The ids asked for: `all`, or a list in the order asked, with foreign ones. */
export type AskedIds = 'all' | readonly number[]

/** Reads `ids`, which is required unless there is `absent`. */
export function readAskedIds(query: Query, absent?: 'all'): AskedIds | Refusal {
  const text = listIn(query, 'ids')
  if (text === '') return absent ?? idsRequired
  return text === 'all' ? 'all' : readIds(text)
}

/** The organization's objects among those asked for. A refusal if it has none of a list. */
export function selectObjects(asked: AskedIds, own: Roster): readonly OwnObject[] | Refusal {
  if (asked === 'all') return [...own.values()]
  const ids = ownIds(asked, own)
  return 'status' in ids ? ids : ids.map((id) => own.get(id)!)
}
