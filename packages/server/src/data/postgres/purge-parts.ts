import type { PurgeParts } from '../tables/purge.ts'
import { int8Array } from './connection/given-rows.ts'

/** Another process may have freed the id already, and another object may have it by now. */
const FINISH = `
  WITH finished AS (
    DELETE FROM purges WHERE organization = $1 AND object = ANY($2::bigint[]) RETURNING object
  )
  DELETE FROM ids WHERE kind = 'objects' AND id IN (SELECT object FROM finished)`

export const PURGE_PARTS: PurgeParts = {
  finish: ({ count }, organization, objects) => count(FINISH, [organization, int8Array(objects)]),
}
