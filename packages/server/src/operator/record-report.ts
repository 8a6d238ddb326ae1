import { RECORD_COLUMNS } from '../api/encode/record-rows.ts'
import type { Row } from '../api/encode/rows.ts'
import type { RecordType } from '../domain/items.ts'
import type { Organization } from '../domain/organization.ts'
import { recordWithoutSignalSince } from '../domain/position/record-signal.ts'

/*
 * Records in the reports for people: the command line and the files of the console. They have the fields of the public
 * API and, by the clock of the report, since when an open trip or stop has had no signal.
 */

/** The field that the public API does not have. */
export const NO_SIGNAL_SINCE = 'no_signal_since'

export function reportColumns(type: RecordType): readonly string[] {
  const columns = RECORD_COLUMNS[type]
  return type === 'visits' ? columns : [...columns, NO_SIGNAL_SINCE]
}

/** `row`: as the public API has it. */
export function reportRow(
  type: RecordType,
  row: object,
  { signalTimeoutHours }: Organization,
  now: number,
): Row {
  if (type === 'visits') return row as Row
  const lasting = row as Parameters<typeof recordWithoutSignalSince>[0]
  return { ...row, [NO_SIGNAL_SINCE]: recordWithoutSignalSince(lasting, now, signalTimeoutHours) }
}
