import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type MonitoredObject, OBJECT_DEFAULTS } from '../../../base/domain/monitored-object.ts'
import { bareFix, type Fix } from '../../../base/domain/position/fix.ts'
import { foldRules } from '../../../engine/tracking/rules/advance.ts'
import { openDrive } from './drive.ts'

const START = Date.parse('2026-03-02T08:00:00Z')
const object: MonitoredObject = {
  ...OBJECT_DEFAULTS,
  ...{ id: 1, organization: 1, name: 'Van', ident: 'van', createdAt: 0, updatedAt: 0 },
}
const rules = foldRules({ now: () => START + 86_400_000, monotonic: () => 0 })
const instant = (minute: number) => new Date(START + minute * 60_000).toISOString()

type Row = [minute: number, longitude: number, speed: number, ignition?: boolean]

function fixOf([minute, longitude, speed, ignition = true]: Row): Fix {
  const at = START + minute * 60_000
  return { ...bareFix(at, at, 1, longitude), speed, ignition }
}

function driven(rows: Row[], more: Partial<Fix> = {}) {
  const drive = openDrive(object, rules)
  for (const row of rows) drive.add({ ...fixOf(row), ...more })
  return { drive, summary: drive.summary('km') }
}

const stopsOf = (rows: Row[]) =>
  driven(rows).summary.stops.map(({ from, to, motion }) => [from, to, motion])

describe('A drive', () => {
  it('without positions is empty', () => {
    const { drive, summary } = driven([])
    assert.deepEqual(summary, {
      ...{ positions: 0, distance: 0, moving_seconds: 0, idle_seconds: 0, stops: [] },
    })
    assert.deepEqual([drive.motion, drive.accepted, drive.refused.size], [null, 0, 0])
  })

  it('has a stop after two minutes without movement, until it moves again', () => {
    const rows: Row[] = [
      [0, 0, 60],
      [1, 0.009, 0, false],
      [3, 0.009, 0, false],
      [4, 0.018, 60],
      // A traffic light.
      [5, 0.027, 0, true],
      [6, 0.036, 60],
    ]
    assert.deepEqual(stopsOf(rows), [[instant(1), instant(4), 'stopped']])
  })

  it('is stopped where it idled first, and at the start and end of its range', () => {
    assert.deepEqual(
      stopsOf([
        [0, 0, 0, true],
        [5, 0, 0, false],
        [9, 0, 0, false],
      ]),
      [[instant(0), null, 'stopped']],
    )
    assert.deepEqual(
      stopsOf([
        [0, 0, 0, true],
        [5, 0, 0, true],
      ]),
      [[instant(0), null, 'idle']],
    )
    assert.deepEqual(
      stopsOf([
        [0, 0, 0],
        [1, 0, 0],
      ]),
      [],
    )
  })

  it('moves as long as its fixes report movement, over gaps of up to ten minutes', () => {
    const moving = (gap: number) =>
      driven([
        [0, 0, 60],
        [gap, 0.009 * gap, 60],
      ]).summary
    assert.equal(moving(10).moving_seconds, 600)
    assert.equal(moving(11).moving_seconds, 0)
    const idle = driven([
      [0, 0, 0, true],
      [4, 0, 0, true],
      [5, 0.01, 60],
    ]).summary
    assert.deepEqual([idle.idle_seconds, idle.moving_seconds], [300, 0])
  })

  it('reports rejected fixes, and does not use them', () => {
    const { drive, summary } = driven(
      [
        [0, 0, 60],
        [1, 0.009, 60],
      ],
      { hdop: 50 },
    )
    assert.deepEqual([...drive.refused], [['hdop_above_maximum', 2]])
    assert.deepEqual([drive.accepted, summary.positions, summary.distance], [0, 0, 0])
  })
})
