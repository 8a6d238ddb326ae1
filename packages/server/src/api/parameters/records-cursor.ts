import type { KeyObject } from 'node:crypto'
import type { RecordType } from '../../domain/change-types.ts'
import type { RecordPlace } from '../../store/record-store.ts'
import { openPageCursor, sealPageCursor } from './page-cursor.ts'
import type { RecordsQuery } from './records-query.ts'

/** The request that a cursor continues. The cursor is valid for no other. */
export type PagedRecords = { organization: number; type: RecordType; asked: RecordsQuery }

/** A cursor at the last record given. */
export function sealRecordsCursor(
  secret: KeyObject,
  paged: PagedRecords,
  { object, start, kind, place }: RecordPlace,
): string {
  return sealPageCursor(secret, textOf(paged), [object, start, kind, place])
}

/** The place after which the page of a request begins. Null without a cursor, undefined with one of another request. */
export function openRecordsCursor(
  secret: KeyObject,
  paged: PagedRecords,
): RecordPlace | null | undefined {
  const sealed = paged.asked.cursor
  if (sealed === undefined) return null
  const opened = openPageCursor(secret, textOf(paged), sealed)
  if (opened === undefined) return undefined
  const [object, start, kind, place] = opened as [number, number, number, number]
  return { object, start, kind, place }
}

function textOf({ organization, type, asked }: PagedRecords): string {
  const { range, ids, geofences, sites, minDurationSeconds } = asked
  const selection = JSON.stringify([range, ids, geofences, sites, minDurationSeconds])
  return `records ${organization} ${type} ${selection} `
}
