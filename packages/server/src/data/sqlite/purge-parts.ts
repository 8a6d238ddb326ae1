import type { PurgeParts } from '../tables/purge.ts'
import { DIALECT } from './tables.ts'
import { damaged } from './unavailable.ts'

const { isIn, list } = DIALECT
const EXISTING = `SELECT 1 FROM objects WHERE ${isIn('id', '$1')} LIMIT 1`
const FINISH = `DELETE FROM purges WHERE organization = $1 AND ${isIn('object', '$2')}`

/** If an object still exists, or is not there to be forgotten, the page must be damaged. */
export const PURGE_PARTS: PurgeParts = {
  *assertGone({ one }, objects) {
    if ((yield* one(EXISTING, [list(objects)])) !== undefined) throw damaged()
  },
  *finish({ count }, organization, objects) {
    const finished = yield* count(FINISH, [organization, list(objects)])
    if (finished < objects.length) throw damaged()
  },
}
