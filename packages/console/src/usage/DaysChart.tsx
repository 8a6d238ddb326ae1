import { t } from '../language/text.ts'
import { compact, count, utcDay } from '../ui/format.ts'
import { marksFor } from './scale.ts'
import { useWidth } from './size.ts'
import { STATUS_NAMES, type StatusKind } from './statuses.ts'
import type { Counts } from './tally.ts'
import './Chart.css'

export type DayBar = { day: string; counts: Counts }

type DaysChartProps = {
  label: string
  days: DayBar[]
  /** The stacked series, from the bottom up. */
  kinds: readonly StatusKind[]
}

const HEIGHT = 208
const LEFT = 44
const BOTTOM = 24
const TOP = 8

/** Stacked bars by day. Screen readers use the table with the same numbers. */
export function DaysChart({ label, days, kinds }: DaysChartProps) {
  const [svg, width] = useWidth<SVGSVGElement>()
  const total = ({ counts }: DayBar) => kinds.reduce((sum, kind) => sum + counts[kind], 0)
  const marks = marksFor(days.reduce((most, day) => Math.max(most, total(day)), 0))
  const highest = marks.at(-1)!
  const y = (value: number) => HEIGHT - BOTTOM - (value / highest) * (HEIGHT - BOTTOM - TOP)
  const room = Math.max(0, width - LEFT) / Math.max(1, days.length)
  const every = Math.max(1, Math.ceil(58 / Math.max(1, room)))
  return (
    <div className="chart">
      <svg ref={svg} className="plot" role="img" aria-label={label} height={HEIGHT}>
        {marks.map((mark) => (
          <g key={mark}>
            <line className="grid" x1={LEFT} x2={width} y1={y(mark)} y2={y(mark)} />
            <text x={LEFT - 8} y={y(mark) + 4} textAnchor="end">
              {compact(mark)}
            </text>
          </g>
        ))}
        {days.map((each, index) => (
          <g key={each.day} className="bar">
            <title>{titleOf(each, kinds)}</title>
            <rect
              className="bar-hit"
              x={LEFT + index * room}
              y={TOP}
              width={room}
              height={HEIGHT - BOTTOM - TOP}
            />
            {stacked(each, kinds).map(([kind, from, to]) => (
              <rect
                key={kind}
                className={`series-${kind}`}
                x={LEFT + index * room + room * 0.14}
                y={y(to)}
                width={room * 0.72}
                height={Math.max(1, y(from) - y(to))}
              />
            ))}
            {(days.length - 1 - index) % every === 0 && (
              <text x={LEFT + (index + 0.5) * room} y={HEIGHT - 6} textAnchor="middle">
                {utcDay(each.day, { day: 'numeric', month: 'short' })}
              </text>
            )}
          </g>
        ))}
      </svg>
      {kinds.length > 1 && <Legend kinds={kinds} />}
    </div>
  )
}

export function Legend({ kinds }: { kinds: readonly StatusKind[] }) {
  return (
    <ul className="legend">
      {kinds.map((kind) => (
        <li key={kind}>
          <i className={`series-${kind}`} />
          {STATUS_NAMES[kind]}
        </li>
      ))}
    </ul>
  )
}

function stacked({ counts }: DayBar, kinds: readonly StatusKind[]): [StatusKind, number, number][] {
  let top = 0
  const parts: [StatusKind, number, number][] = []
  for (const kind of kinds) {
    if (counts[kind] === 0) continue
    parts.push([kind, top, top + counts[kind]])
    top += counts[kind]
  }
  return parts
}

function titleOf({ day, counts }: DayBar, kinds: readonly StatusKind[]): string {
  const parts = kinds
    .filter((kind) => counts[kind] > 0)
    .map((kind) => `${STATUS_NAMES[kind]}: ${count(counts[kind])}`)
  return [utcDay(day), ...(parts.length === 0 ? [t('no requests')] : parts)].join('\n')
}
