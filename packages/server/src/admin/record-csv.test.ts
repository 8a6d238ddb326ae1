import assert from 'node:assert/strict'
import { it } from 'node:test'
import * as schemas from '../api/documentation/record-schemas.ts'
import { RECORD_FIELDS, recordCsv } from './record-csv.ts'

it('the columns of records are their documented fields', () => {
  const { trip, stop, visit } = schemas
  const documented = { trips: trip, stops: stop, visits: visit }
  for (const type of ['trips', 'stops', 'visits'] as const) {
    assert.deepEqual(RECORD_FIELDS[type], Object.keys(documented[type].properties))
  }
})

it('a text that a spreadsheet would run is guarded, and lists are JSON', () => {
  const row = {
    id: 7,
    ident: '=1+1',
    name: 'a, "b"',
    geofence_ids: [1, 2],
    open: true,
    end_time: null,
  }
  const [id, , ident, name] = RECORD_FIELDS.stops
  assert.deepEqual([id, ident, name], ['id', 'ident', 'name'])
  const line = recordCsv('stops').row(row, true)
  assert.equal(line, `7,,'=1+1,"a, ""b""",,,,,,,,,,"[1,2]",,true,,\n`)
})
