import { formatNumber } from '../figures.ts'
import { escapeXml } from './xml.ts'

export type ChartBar = {
  label: string
  value: number
  /** The range of the rounds. */
  spread?: readonly [lowest: number, highest: number] | undefined
  of: 'fleetgate' | 'raw' | 'peer'
}

const WIDTH = 760
const PADDING = 16
const TITLE_HEIGHT = 34
const ROW_HEIGHT = 28
const BAR_HEIGHT = 18
const FONT_SIZE = 13
/** Wider than almost every letter of any likely font, so that no text is cut off. */
const LETTER_WIDTH = 8

const STYLE = `
  text { font: ${FONT_SIZE}px system-ui, sans-serif; fill: #1f2328 }
  .title { font-weight: 600; font-size: 14px }
  .background { fill: #ffffff }
  .fleetgate { fill: #1a7f5a }
  .raw { fill: #8c959f }
  .peer { fill: #b35900 }
  .spread { stroke: #1f2328; stroke-width: 1.5 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .background { fill: #0d1117 }
    .fleetgate { fill: #3fb68b }
    .raw { fill: #6e7681 }
    .peer { fill: #d98a3d }
    .spread { stroke: #e6edf3 }
  }`

/**
 * Renders an SVG file of horizontal bars, each with its value at its end and the range of its rounds as a line.
 */
export function barChart(title: string, bars: readonly ChartBar[]): string {
  const labels = bars.map(({ label }) => label.length * LETTER_WIDTH)
  const values = bars.map(({ value }) => formatNumber(value))
  const left = PADDING + Math.max(...labels) + 10
  const room = WIDTH - left - PADDING - 10 - Math.max(...values.map((v) => v.length * LETTER_WIDTH))
  const greatest = Math.max(...bars.flatMap(({ value, spread }) => [value, spread?.[1] ?? 0]))
  const x = (value: number) => left + (greatest === 0 ? 0 : (value / greatest) * room)
  const height = TITLE_HEIGHT + bars.length * ROW_HEIGHT + PADDING

  const rows = bars.map(({ label, value, spread, of }, i) => {
    const top = TITLE_HEIGHT + i * ROW_HEIGHT + (ROW_HEIGHT - BAR_HEIGHT) / 2
    const middle = top + BAR_HEIGHT / 2
    const baseline = round(middle + FONT_SIZE / 3)
    const width = Math.max(1, x(value) - left)
    const end = x(Math.max(value, spread?.[1] ?? 0)) + 8
    return [
      `<text x="${round(left - 10)}" y="${baseline}" text-anchor="end">${escapeXml(label)}</text>`,
      `<rect class="${of}" x="${round(left)}" y="${round(top)}" width="${round(width)}" height="${BAR_HEIGHT}" rx="2"/>`,
      ...(spread === undefined ? [] : [rangeLine(x(spread[0]), x(spread[1]), middle)]),
      `<text x="${round(end)}" y="${baseline}">${values[i]}</text>`,
    ].join('\n')
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${escapeXml(title)}">
<style>${STYLE}
</style>
<rect class="background" width="${WIDTH}" height="${height}" rx="6"/>
<text class="title" x="${PADDING}" y="22">${escapeXml(title)}</text>
${rows.join('\n')}
</svg>
`
}

function rangeLine(from: number, to: number, y: number): string {
  return `<path class="spread" d="M${round(from)} ${y}H${round(to)}M${round(from)} ${y - 4}v8M${round(to)} ${y - 4}v8"/>`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
