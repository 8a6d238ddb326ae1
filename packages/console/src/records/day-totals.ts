import type { OrganizationSummary, Track } from '../api/types.ts'
import { valueText } from '../attributes/attribute-texts.ts'
import { t } from '../language/text.ts'
import { count } from '../ui/format.ts'
import { duration } from '../ui/time/duration.ts'
import { distanceText } from '../ui/units.ts'
import type { DayRecord } from './day-records.ts'
import { driversOf } from './drivers.ts'
import { stopNumbers } from './stop-numbers.ts'

/** The totals of a day, each with its name. */
export function dayTotals(
  track: Track,
  records: readonly DayRecord[],
  { distance_unit: unit }: OrganizationSummary,
): [name: string, value: string][] {
  const trips = records.filter((record) => record.kind === 'trip')
  const drivers = new Set(trips.flatMap(({ row }) => driversOf(track, row)))
  return [
    [t('Distance'), distanceText(track.distance, unit)],
    [t('Driving'), duration(track.moving_seconds * 1_000)],
    [t('Idle'), duration(track.idle_seconds * 1_000)],
    [t('Trips'), count(trips.length)],
    [t('Stops'), count(stopNumbers(records).size)],
    ...track.levels.map((level): [string, string] => [level.label, usedText(level)]),
    ...(drivers.size === 0 ? [] : [[t('Driver'), [...drivers].join(', ')] as [string, string]]),
  ]
}

/** `12 % used, 40 % filled`: what is not zero. */
function usedText({ used, filled, drained, unit }: Track['levels'][number]): string {
  const parts = [
    used === 0 ? [] : t('{{amount}} used', { amount: valueText(used, unit) }),
    filled === 0 ? [] : t('{{amount}} filled', { amount: valueText(filled, unit) }),
    drained === 0 ? [] : t('{{amount}} drained', { amount: valueText(drained, unit) }),
  ].flat()
  return parts.length === 0 ? t('No change') : parts.join(', ')
}
