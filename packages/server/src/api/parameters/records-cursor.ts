import type { RecordType } from '../../domain/change-types.ts'
import type { RecordPlace } from '../../store/record-store.ts'
import { boundTo } from './attributes.ts'
import { pageCursors } from './page-cursor.ts'
import type { RecordsQuery } from './records-query.ts'

/** The request that a cursor continues. The cursor is valid for no other. */
export type PagedRecords = { organization: number; type: RecordType; asked: RecordsQuery }

export const RECORDS_CURSORS = pageCursors<PagedRecords, RecordPlace>(
  ['object', 'start', 'kind', 'place'],
  ({ organization, type, asked }) => {
    const { range, ids, geofences, sites, minDurationSeconds } = asked
    const selection = JSON.stringify([range, ids, geofences, sites, minDurationSeconds])
    return `records ${organization} ${type} ${selection}${boundTo(asked.attributes)} `
  },
)
