import type { RecordType } from '../../domain/change-types.ts'
import type { RecordPlace } from '../../store/record-store.ts'
import { openPlace, sealPlace } from './page-cursor.ts'
import type { RecordsQuery } from './records-query.ts'

/** The scope of a cursor. It is valid for nothing else. */
export type RecordsScope = { organization: number; type: RecordType; asked: RecordsQuery }

/** A cursor at the last record given. */
export function sealRecordsCursor(
  secret: Buffer,
  scope: RecordsScope,
  { object, start, kind, place }: RecordPlace,
): string {
  return sealPlace(secret, textOf(scope), [object, start, kind, place])
}

/** The place after which the page of a request begins. Null without a cursor, undefined with that of another scope. */
export function openRecordsCursor(
  secret: Buffer,
  scope: RecordsScope,
): RecordPlace | null | undefined {
  const sealed = scope.asked.cursor
  if (sealed === undefined) return null
  const opened = openPlace(secret, textOf(scope), sealed)
  if (opened === undefined) return undefined
  const [object, start, kind, place] = opened as [number, number, number, number]
  return { object, start, kind, place }
}

function textOf({ organization, type, asked }: RecordsScope): string {
  const { range, ids, geofences, sites, minDurationSeconds } = asked
  const selection = JSON.stringify([range, ids, geofences, sites, minDurationSeconds])
  return `records ${organization} ${type} ${selection} `
}
