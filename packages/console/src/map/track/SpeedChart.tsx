import { type RefObject, useEffect, useMemo, useRef } from 'react'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import type { Track } from '../../api/types.ts'
import { t } from '../../language/text.ts'
import { clockTime, decimal } from '../../ui/format.ts'
import { useUtc } from '../../ui/time/time-zone.ts'
import { PALETTES, type Palette } from '../base/palette.ts'
import { useTheme } from '../base/theme.ts'
import { speedSeries } from './speed-series.ts'

/** A lower chart shows the curve alone. */
const WITH_AXES_PX = 56

export type ChartedAttribute = Track['attributes'][number]

type Props = {
  track: Track
  /** Drawn next to the speed, with an axis of its own. */
  attribute: ChartedAttribute | undefined
  unit: 'km' | 'mi'
  time: number
  onTime(time: number): void
}

/** Speed over the day, and an attribute. Its cursor follows the slider. */
export function SpeedChart({ track, attribute, unit, time, onTime }: Props) {
  const root = useRef<HTMLDivElement>(null)
  const series = useMemo(() => speedSeries(track.points, attribute?.values), [track, attribute])
  const top = useMemo(
    () => series.speeds.reduce<number>((most, speed) => Math.max(most, speed ?? 0), 0),
    [series],
  )
  usePlot(root, series, { attribute, time, onTime })

  return (
    <div
      ref={root}
      className="fleetmap-chart"
      role="img"
      aria-label={t('Speed over the day, at most {{top}} {{unit}}/h{{attribute}}', {
        top: Math.round(top),
        unit,
        attribute: rangeText(attribute),
      })}
    />
  )
}

/** Draws the series into an element. The latest `onTime` gets the time that a pointer is at. */
function usePlot(
  root: RefObject<HTMLDivElement | null>,
  { times, speeds, values }: ReturnType<typeof speedSeries>,
  { attribute, time, onTime }: Pick<Props, 'attribute' | 'time' | 'onTime'>,
): void {
  const plot = useRef<UPlot>(undefined)
  const palette = PALETTES[useTheme()]
  const [utc] = useUtc()
  const latest = useRef(onTime)
  latest.current = onTime
  const latestTime = useRef(time)
  latestTime.current = time

  useEffect(() => {
    const element = root.current
    if (element === null) return
    let pointed = false
    const made = new UPlot(
      {
        width: element.clientWidth,
        height: element.clientHeight,
        ...lookOf(palette, utc, element.clientHeight >= WITH_AXES_PX, attribute !== undefined),
        hooks: {
          ready: [(drawn) => pointAt(drawn, latestTime.current)],
          setCursor: [
            (drawn) => {
              // Only pointer events: the slider moves the cursor too.
              if (!pointed || drawn.cursor.left == null || drawn.cursor.left < 0) return
              latest.current(Math.round(drawn.posToVal(drawn.cursor.left, 'x') * 1000))
            },
          ],
        },
      },
      attribute === undefined ? [times, speeds] : [times, speeds, values],
      element,
    )
    plot.current = made
    made.over.addEventListener('pointerenter', () => {
      pointed = true
    })
    made.over.addEventListener('pointerleave', () => {
      pointed = false
    })
    const resized = new ResizeObserver(() => {
      made.setSize({ width: element.clientWidth, height: element.clientHeight })
    })
    resized.observe(element)
    return () => {
      resized.disconnect()
      made.destroy()
      plot.current = undefined
    }
  }, [root, times, speeds, values, attribute, palette, utc])

  useEffect(() => {
    const drawn = plot.current
    if (drawn === undefined || drawn.over.matches(':hover')) return
    pointAt(drawn, time)
  }, [time])
}

/** Axes, scales and lines. An attribute has a line and an axis of its own. */
function lookOf(palette: Palette, utc: boolean, hasAxes: boolean, hasAttribute: boolean) {
  const axis = {
    show: hasAxes,
    stroke: palette.label,
    grid: { stroke: palette.graticule, width: 1 },
    ticks: { show: false },
    font: '11px system-ui, sans-serif',
  }
  const line = { width: 1.5, spanGaps: false, points: { show: false } }
  const axes: UPlot.Axis[] = [
    {
      ...axis,
      size: 20,
      space: 70,
      values: (_, splits) => splits.map((seconds) => clockTime(seconds * 1_000, 'minute', utc)),
    },
    { ...axis, size: 40, space: 20 },
  ]
  const series: UPlot.Series[] = [
    {},
    { ...line, stroke: palette.selected, fill: `${palette.selected}2e` },
  ]
  if (hasAttribute) {
    axes.push({ ...axis, side: 1, scale: 'attribute', size: 50, space: 20, grid: { show: false } })
    series.push({ ...line, scale: 'attribute', stroke: palette.label, dash: [4, 3] })
  }
  return {
    legend: { show: false },
    tzDate: (seconds) => zoned(new Date(seconds * 1_000), utc),
    padding: [4, 8, 0, 0],
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 8 } },
    scales: { y: { range: (_, __, most) => [0, Math.max(10, most * 1.1)] } },
    axes,
    series,
  } satisfies Partial<UPlot.Options>
}

function rangeText(attribute: ChartedAttribute | undefined): string {
  if (attribute === undefined) return ''
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const value of attribute.values) {
    if (value === null) continue
    least = Math.min(least, value)
    most = Math.max(most, value)
  }
  const unit = attribute.unit === null ? '' : ` ${attribute.unit}`
  return t(', and {{label}}, {{least}} to {{most}}{{unit}}', {
    label: attribute.label,
    least: decimal(least),
    most: decimal(most),
    unit,
  })
}

/** Marks of the axis: whole hours in the shown time zone. */
function zoned(time: Date, utc: boolean): Date {
  return utc ? UPlot.tzDate(time, 'UTC') : time
}

function pointAt(drawn: UPlot, time: number): void {
  drawn.setCursor({ left: drawn.valToPos(time / 1000, 'x'), top: 0 }, false)
}
