import { type ReactNode, useMemo, useRef, useState } from 'react'
import type { Track } from '../../api/types.ts'
import { t } from '../../language/text.ts'
import type { DayRecord } from '../../records/day-records.ts'
import { clockTime, decimal } from '../../ui/format.ts'
import { useUtc } from '../../ui/time/time-zone.ts'
import { speedText, speedUnit } from '../../ui/units.ts'
import { levelMarks, standBands } from './chart-marks.ts'
import { type ChartedAttribute, chartedOf, speedSeries } from './speed-series.ts'
import { isSilent, lastBefore } from './track.ts'
import { usePlot } from './use-plot.ts'
import './TrackChart.css'

type Props = {
  track: Track
  records: readonly DayRecord[]
  unit: 'km' | 'mi'
  /** The part of the day that is shown, in milliseconds. Without it, all of the track. */
  range?: readonly [from: number, to: number]
  /** The moment that the chart shows. Without it, the one that a pointer is at. */
  time?: number
  onTime?(time: number): void
  /** After the words about the moment. */
  children?: ReactNode
}

/** Speed over time and, with an axis of its own, a number of the device; with stops and changes of levels. */
export function TrackChart({ track, records, unit, range, time, onTime, children }: Props) {
  const root = useRef<HTMLDivElement>(null)
  const [utc] = useUtc()
  const [pointed, setPointed] = useState<number>()
  const all = useMemo(() => chartedOf(track), [track])
  const [chosen, setChosen] = useState<string>()
  // A day on which a tank was filled or drained shows that tank.
  const level = records.find(({ kind }) => kind === 'level')?.row as
    | { attribute: string }
    | undefined
  const attribute = all.find(({ name }) => name === (chosen ?? level?.attribute))
  const series = useMemo(() => speedSeries(track.points, attribute?.values), [track, attribute])
  const bands = useMemo(() => standBands(records), [records])
  const marks = useMemo(() => levelMarks(records, all), [records, all])
  const description = useMemo(() => {
    const stops = bands.filter(({ number }) => number !== null).length
    return [
      ...speedSentence(track, unit, utc),
      ...rangeSentence(attribute),
      `${t('{{count, number}} stops', { count: stops })}.`,
      ...marks.map(({ text, at }) => `${text}, ${clockTime(at, 'minute', utc)}.`),
    ].join(' ')
  }, [track, unit, utc, attribute, bands, marks])
  const shown = time ?? pointed
  const chart = { series, attribute, bands, marks, range, speedUnit: speedUnit(unit) }
  usePlot(root, chart, shown, onTime ?? setPointed)

  return (
    <div className="track-chart">
      <div className="track-chart-head">
        <span className="track-chart-key">{t('Speed, {{unit}}', { unit: speedUnit(unit) })}</span>
        {all.length > 0 && (
          <select
            className="track-chart-pick"
            data-is-drawn={attribute !== undefined}
            aria-label={t('Second chart line')}
            value={attribute?.name ?? ''}
            onChange={({ target }) => setChosen(target.value)}
          >
            <option value="">{t('Add a line…')}</option>
            {all.map((each) => (
              <option key={each.name} value={each.name}>
                {labelOf(each)}
              </option>
            ))}
          </select>
        )}
        <output className="track-chart-moment" aria-live="off">
          {shown === undefined ? '' : momentText(track, attribute, unit, shown, utc)}
        </output>
        {children}
      </div>
      <div ref={root} className="track-chart-plot" role="img" aria-label={description} />
    </div>
  )
}

/** The time, the speed and the attribute at a moment. */
export function momentText(
  track: Track,
  attribute: ChartedAttribute | undefined,
  unit: 'km' | 'mi',
  time: number,
  utc: boolean,
): string {
  const index = lastBefore(track.points, time)
  const speed = track.points[index]?.[3] ?? null
  const value = attribute?.values[index] ?? null
  if (isSilent(track.points, index, time))
    return t('{{time}} · no signal', { time: momentOf(time, utc) })
  return [
    momentOf(time, utc),
    speed === null ? t('speed unknown') : speedText(speed, unit),
    ...(attribute === undefined || value === null
      ? []
      : [
          `${attribute.label} ${decimal(value)}${attribute.unit === null ? '' : ` ${attribute.unit}`}`,
        ]),
  ].join(' · ')
}

function momentOf(time: number, utc: boolean): string {
  return `${clockTime(time, 'second', utc)}${utc ? ' UTC' : ''}`
}

function labelOf({ label, unit }: ChartedAttribute): string {
  return unit === null ? label : `${label}, ${unit}`
}

function speedSentence({ points }: Track, unit: 'km' | 'mi', utc: boolean): string[] {
  const top = points.reduce((most, [, , , speed]) => Math.max(most, speed ?? 0), 0)
  const [from = '', to = ''] = [points[0]!, points.at(-1)!].map(([time]) =>
    clockTime(time, 'minute', utc),
  )
  return [
    t('Speed from {{from}} to {{to}}, at most {{speed}}.', {
      from,
      to,
      speed: speedText(top, unit),
    }),
  ]
}

function rangeSentence(attribute: ChartedAttribute | undefined): string[] {
  if (attribute === undefined) return []
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const value of attribute.values) {
    if (value === null) continue
    least = Math.min(least, value)
    most = Math.max(most, value)
  }
  const unit = attribute.unit === null ? '' : ` ${attribute.unit}`
  return [
    t('{{label}} from {{least}} to {{most}}.', {
      label: attribute.label,
      least: decimal(least),
      most: `${decimal(most)}${unit}`,
    }),
  ]
}
