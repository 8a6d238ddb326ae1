import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fleetObjectOf } from '../../../testing/any-fleet-object.ts'
import { readPositions } from '../../../testing/read-positions.ts'
import { bareFix } from '../../base/domain/position/fix.ts'
import { packFix } from '../../base/domain/position/fix-record.ts'
import { allRows, columnsOfRecords } from '../../base/domain/position/position-columns.ts'
import { positionRowEncoder } from '../../read/encode/position-rows.ts'
import { positionForm } from '../../read/formats/formats.ts'
import { OWN_COLUMNS, trackOf } from '../../read/formats/position-format.ts'

const T = Date.UTC(2025, 2, 1)
const COUNTERS = { odometer: 12.5, engineHours: 1, mileage: 2 }

/** The answer with the histories of some objects. */
function historyOf(drives: Readonly<Record<string, number[]>>): string {
  const form = positionForm('kml', 'tracks', OWN_COLUMNS)
  const folders = Object.entries(drives).map(([ident, times]) => {
    const name = `Van ${ident}`
    const records = times.map((time, at) => {
      const fix = { ...bareFix(T + time, T, 48 + at / 1000, 11), speed: 36, altitude: 5 }
      return packFix(fix, COUNTERS, { motion: null, isLate: false })
    })
    const columns = columnsOfRecords(Buffer.concat(records))
    const rows = positionRowEncoder(fleetObjectOf({ ident, name }), 'km', { form })(columns)
    const track = trackOf(form, name)
    const lines = [...track.add(allRows(columns)), ...track.end()]
    return [form.openObject(name), rows, ...lines, form.closeObject].join('')
  })
  return [form.head, ...folders, form.tail].join('')
}

test('the own KML is read back: each position once, with its ident and numbers', async () => {
  const drives = { A1: [0, 1000, 2500], B2: [0, 1000] }
  const read = await readPositions(historyOf(drives), { format: 'kml', distanceUnit: 'km' })
  assert.deepEqual(
    read.positions.map(({ ident, fix: { timeDevice, latitude, longitude, speed, altitude } }) => [
      ...[ident, timeDevice - T, latitude, longitude, speed, altitude],
    ]),
    [
      ['A1', 0, 48, 11, 36, 5],
      ['A1', 1000, 48.001, 11, 36, 5],
      ['A1', 2500, 48.002, 11, 36, 5],
      ['B2', 0, 48, 11, 36, 5],
      ['B2', 1000, 48.001, 11, 36, 5],
    ],
  )
  assert.deepEqual([read.rejected, read.omitted.track!.length, read.notes], [{}, 2, []])
})
