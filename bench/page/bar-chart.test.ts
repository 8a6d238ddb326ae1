import assert from 'node:assert/strict'
import { it } from 'node:test'
import { barChart } from './bar-chart.ts'

const WIDTH = 760

it('draws bars in proportion to their values, inside the picture', () => {
  const svg = barChart('requests a second', [
    { label: 'Fleetgate & a long label', value: 50, spread: [40, 100], of: 'fleetgate' },
    { label: 'node:http', value: 25, of: 'raw' },
  ])
  const bars = [
    ...svg.matchAll(/<rect class="(?:fleetgate|raw)" x="([\d.]+)".*? width="([\d.]+)"/g),
  ]
  const [[first, second], left] = [bars.map((bar) => Number(bar[2])), Number(bars[0]![1])]
  assert.ok(Math.abs(first! / second! - 2) < 0.01)
  assert.ok(left + 2 * first! < WIDTH, 'the spread ends inside')
  assert.match(svg, /Fleetgate &amp; a long label/)
})
