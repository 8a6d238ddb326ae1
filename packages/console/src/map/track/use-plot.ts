import { type RefObject, useEffect, useRef } from 'react'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { clockTime } from '../../ui/format.ts'
import { useUtc } from '../../ui/time/time-zone.ts'
import { PALETTES, type Palette } from '../base/palette.ts'
import { useTheme } from '../base/theme.ts'
import type { LevelMark, StandBand } from './chart-marks.ts'
import { drawBands, drawMarks, drawUnits } from './draw-marks.ts'
import type { ChartedAttribute, speedSeries } from './speed-series.ts'

type Chart = {
  series: ReturnType<typeof speedSeries>
  attribute: ChartedAttribute | undefined
  bands: readonly StandBand[]
  marks: readonly LevelMark[]
  range: readonly [from: number, to: number] | undefined
  speedUnit: string
}

/** Draws a chart into an element. Its cursor is at `time`, and the latest `onTime` gets the time that a pointer is at. */
export function usePlot(
  root: RefObject<HTMLDivElement | null>,
  { series, attribute, bands, marks, range, speedUnit }: Chart,
  time: number | undefined,
  onTime: (time: number) => void,
): void {
  const plot = useRef<UPlot>(undefined)
  const palette = PALETTES[useTheme()]
  const [utc] = useUtc()
  const latest = useRef({ time, onTime })
  latest.current = { time, onTime }
  const [from, to] = range ?? []

  useEffect(() => {
    const element = root.current
    if (element === null) return
    const { times, speeds, values } = series
    const made = new UPlot(
      {
        ...{ width: element.clientWidth, height: element.clientHeight },
        ...lookOf(palette, utc, attribute !== undefined),
        scales: {
          x: {
            range: (_, least, most) => [(from ?? least * 1000) / 1000, (to ?? most * 1000) / 1000],
          },
          y: { range: (_, __, most) => [0, Math.max(10, (most ?? 0) * 1.1)] },
        },
        hooks: {
          ready: [(drawn) => pointAt(drawn, latest.current.time)],
          drawAxes: [
            (drawn) => {
              drawUnits(drawn, [speedUnit, attribute?.unit ?? ''], palette)
              drawBands(drawn, bands, palette)
            },
          ],
          draw: [(drawn) => drawMarks(drawn, marks, palette)],
        },
      },
      attribute === undefined ? [times, speeds] : [times, speeds, values],
      element,
    )
    plot.current = made
    const follow = ({ offsetX }: PointerEvent) => {
      latest.current.onTime(Math.round(made.posToVal(offsetX, 'x') * 1000))
    }
    // A finger draws along the chart, and a mouse only has to be over it.
    made.over.addEventListener('pointerdown', follow)
    made.over.addEventListener('pointermove', follow)
    const resized = new ResizeObserver(() => {
      made.setSize({ width: element.clientWidth, height: element.clientHeight })
    })
    resized.observe(element)
    return () => {
      resized.disconnect()
      made.destroy()
      plot.current = undefined
    }
  }, [root, series, attribute, bands, marks, from, to, speedUnit, palette, utc])

  useEffect(() => {
    if (plot.current !== undefined) pointAt(plot.current, time)
  }, [time])
}

/** Axes and lines. An attribute has a line and an axis of its own. */
function lookOf(palette: Palette, utc: boolean, hasAttribute: boolean) {
  const axis = {
    stroke: palette.label,
    ticks: { show: false },
    font: '11px system-ui, sans-serif',
  }
  const grid = { stroke: palette.graticule, width: 1 }
  const line = { width: 1.5, spanGaps: false, points: { show: false } }
  const axes: UPlot.Axis[] = [
    {
      ...{ ...axis, grid, size: 20, space: 64 },
      values: (_, splits) => splits.map((seconds) => clockTime(seconds * 1_000, 'minute', utc)),
    },
    { ...axis, grid, size: 34, space: 24 },
  ]
  const series: UPlot.Series[] = [
    {},
    { ...line, stroke: palette.selected, fill: `${palette.selected}2e` },
  ]
  if (hasAttribute) {
    axes.push({ ...axis, side: 1, scale: 'attribute', size: 40, space: 24, grid: { show: false } })
    series.push({ ...line, scale: 'attribute', stroke: palette.before, dash: [5, 3] })
  }
  return {
    legend: { show: false },
    tzDate: (seconds) => zoned(new Date(seconds * 1_000), utc),
    padding: [20, hasAttribute ? 0 : 12, 0, 0],
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 8 } },
    axes,
    series,
  } satisfies Partial<UPlot.Options>
}

/** Marks of the axis: whole hours in the shown time zone. */
function zoned(time: Date, utc: boolean): Date {
  return utc ? UPlot.tzDate(time, 'UTC') : time
}

function pointAt(drawn: UPlot, time: number | undefined): void {
  const left = time === undefined ? -10 : drawn.valToPos(time / 1000, 'x')
  drawn.setCursor({ left, top: 0 }, false)
}
