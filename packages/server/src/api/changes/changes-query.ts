import { SELECTED_ATTRIBUTES } from '../parameters/attributes.ts'
import { FROM, INCLUDE, SKIP_EXHAUSTED, TYPES } from '../parameters/choices.ts'
import { CHANGES_LIMIT, WAIT } from '../parameters/numbers.ts'
import { CHANGES_IDS } from '../parameters/object-ids.ts'
import { CHANGES_CURSOR } from '../parameters/page-cursor.ts'
import { type Asked, parameterSet } from '../parameters/parameter.ts'

/** The parameters of `/changes`, with the cursor still sealed. */
export const CHANGES = parameterSet(
  {
    cursor: CHANGES_CURSOR,
    from: FROM,
    limit: CHANGES_LIMIT,
    waitSeconds: WAIT,
    types: TYPES,
    ids: CHANGES_IDS,
    include: INCLUDE,
    attributes: SELECTED_ATTRIBUTES,
    skipsExhausted: SKIP_EXHAUSTED,
  },
  [
    'cursor',
    'from',
    'limit',
    'waitSeconds',
    'skipsExhausted',
    'types',
    'include',
    'attributes',
    'ids',
  ],
)
export type ChangesQuery = Asked<typeof CHANGES>
