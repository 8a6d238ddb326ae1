import { byTopic, LIST_TOPICS, schemaNameOf } from '../../../../server/src/base/domain/items.ts'
import type { KeyOperation } from '../../../../server/src/base/domain/key-scope.ts'
import { RATE_WINDOW } from '../../../../server/src/base/domain/limits.ts'
import { counted, timeOf } from '../../ui/format.ts'
import type { Scope } from './draft.ts'

/** The operations of a scope, as the table and the form name them. */
export const OPERATION_NAMES: Record<KeyOperation, string> = {
  objects: 'List of objects',
  detail: 'Current state of an object',
  positions: 'Positions',
  changes: 'Changes',
  records: 'Trips, stops, visits, levels and days',
  ...byTopic(LIST_TOPICS, schemaNameOf),
  coverage: 'Coverage',
}

/** The limits of a key, each in words. */
export function scopeInWords(scope: Scope | null, utc: boolean): string[] {
  if (scope === null) return ['Everything']
  const { operations, objects, data_from, data_until, window_share } = scope
  const { attributes = null } = scope
  const time = (instant: string) => timeOf(instant, 'minute', utc)
  return [
    operations === null
      ? 'All operations'
      : operations.map((each) => OPERATION_NAMES[each]).join(' · ') || 'No operation',
    ...(objects === null ? [] : [`Only ${counted(objects.length, 'object')}`]),
    ...(data_from === null ? [] : [`Data from ${time(data_from)}`]),
    ...(data_until === null ? [] : [`Data until ${time(data_until)}`]),
    ...(attributes === null ? [] : [`Attributes: ${attributes.join(' · ')}`]),
    ...(window_share === null
      ? []
      : [`${counted(window_share, 'request')} in ${RATE_WINDOW.seconds} seconds`]),
  ]
}
