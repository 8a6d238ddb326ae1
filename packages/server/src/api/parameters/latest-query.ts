import type { BoundingBox } from '../../domain/position/bounding-box.ts'
import type { Columns } from '../encode/formats/position-form.ts'
import { type Refusal, repeatedParameter } from '../refusal.ts'
import type { Query } from '../request/query.ts'
import { readBoundingBox } from './bounding-box.ts'
import { readSwitch } from './choices.ts'
import { readColumns } from './columns.ts'
import { integerIn } from './integer.ts'
import { type AskedIds, readAskedIds } from './selected-objects.ts'

/** The parameters of a request for latest positions. */
export type LatestQuery = {
  ids: AskedIds
  box: BoundingBox | null
  maxAgeSeconds: number | null
  skipsExhausted: boolean
  columns: Columns
}

/** Ten years. */
const MAX_AGE_SECONDS = 315_360_000
const NO_MAXIMUM = -1
const SINGLE = ['bbox', 'max_age', 'skip_exhausted']

/** Reads the parameters. An empty one counts as absent. With `bbox`, `ids` may be absent: all objects. */
export function readLatestQuery(query: Query): LatestQuery | Refusal {
  for (const name of SINGLE) {
    if ((query.get(name)?.length ?? 0) > 1) return repeatedParameter(name)
  }
  const box = readBoundingBox(query)
  if (box !== null && 'status' in box) return box
  const ids = readAskedIds(query, box === null ? undefined : 'all')
  if (typeof ids === 'object' && 'status' in ids) return ids
  const ageText = query.get('max_age')?.[0] || undefined
  const age = integerIn('max_age', ageText, 0, MAX_AGE_SECONDS, NO_MAXIMUM)
  if (typeof age === 'object') return age
  const skipsExhausted = readSwitch(query, 'skip_exhausted')
  if (typeof skipsExhausted === 'object') return skipsExhausted
  const columns = readColumns(query)
  if ('status' in columns) return columns
  return { ids, box, maxAgeSeconds: age === NO_MAXIMUM ? null : age, skipsExhausted, columns }
}
