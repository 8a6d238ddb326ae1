import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { it } from 'node:test'
import { RECORD_TABLES } from '../read/encode/record-rows.ts'
import { reportTable } from './record-reports.ts'
import { tableReply } from './spreadsheet.ts'

it('a text that a spreadsheet would run is guarded, and lists are JSON', async () => {
  const row = {
    id: 7,
    ident: '=1+1',
    name: 'a, "b"',
    geofence_ids: [1, 2],
    open: true,
    end_time: null,
    no_signal_since: '2026-11-20T08:30:00.000Z',
  }
  const [id, , ident, name] = RECORD_TABLES.stops.columns
  assert.deepEqual([id, ident, name], ['id', 'ident', 'name'])
  const pages = Readable.from([[row]])
  const table = { name: 'stops', ...reportTable('stops'), timeZone: 'UTC', pages }
  const { body } = tableReply('csv', table)
  const [, line] = (await text(Readable.from(body))).split(/(?<=\r\n)/)
  assert.equal(line, `7,,'=1+1,"a, ""b""",,,,,,,,,,"[1,2]",,true,,,2026-11-20T08:30:00.000Z\r\n`)
})
