import type { Track } from '../api/types.ts'
import { t } from '../language/text.ts'
import { count, decimal } from '../ui/format.ts'
import { duration } from '../ui/time/duration.ts'
import { distanceText } from '../ui/units.ts'
import { driversOf } from './drivers.ts'

type DayTotalsProps = { track: Track; stops: number; unit: 'km' | 'mi' }

/** The totals of a day. */
export function DayTotals({ track, stops, unit }: DayTotalsProps) {
  const drivers = driversOf(track)
  const items: [string, string][] = [
    [t('Distance'), distanceText(track.distance, unit)],
    [t('Driving'), duration(track.moving_seconds * 1_000)],
    [t('Idle'), duration(track.idle_seconds * 1_000)],
    [t('Stops'), count(stops)],
    ...track.levels.map(({ label, used, unit: litres }): [string, string] => [
      t('{{level}} used', { level: label }),
      `${decimal(used)}${litres === null ? '' : ` ${litres}`}`,
    ]),
    ...(drivers.length === 0 ? [] : [[t('Driver'), drivers.join(', ')] as [string, string]]),
  ]
  return (
    <>
      <dl className="day-totals">
        {items.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {track.truncated && (
        <p className="soft small">
          {t('The map and the chart show the first {{count, number}} positions of this day.', {
            count: track.points.length,
          })}
        </p>
      )}
    </>
  )
}
