import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { resultOf } from '../harness/envelope.ts'
import { startFleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { sentDrives } from '../trips/records-fleet.ts'

const RECORDS = 'types=trips,stops,visits'
const WITHOUT_RECORDS = ['retention', 'object', 'route', 'site', 'state']
const fleet = await startFleet()
const typesIn = (entries: Json[]) => [...new Set(entries.map(({ type }) => type))]

describe('GET /changes of trips, stops and visits: 200', () => {
  it('derives them for a reader that names them, and keeps the types of a cursor', async () => {
    const own = await sentDrives(fleet, ['C-1'])
    const read = async (path: string) => resultOf(await own.get(path))
    const before = await read('/changes?limit=10000')
    assert.deepEqual(typesIn(before.changes), WITHOUT_RECORDS)

    const page = await read(`/changes?${RECORDS}&limit=10000`)
    assert.deepEqual(typesIn(page.changes), ['retention', 'trip', 'stop', 'visit'])

    // A cursor keeps the types that it began with; a later one has records among them.
    const changed = await read(`/changes?cursor=${before.cursor}`)
    assert.deepEqual(changed.changes, [])
    const later = await read('/changes')
    assert.deepEqual(typesIn(later.changes), [...WITHOUT_RECORDS, 'trip', 'stop', 'visit'])
  })
})
