import assert from 'node:assert/strict'
import { it } from 'node:test'
import { DerivedObject } from '../../../../testing/records/derived-object.ts'
import { fixAt } from '../../../../testing/store-contract/fixture.ts'
import { placeIndex } from './place-index.ts'
import { openOwners } from './progress.ts'
import { packCheckpoint } from './progress-form.ts'

const START = Date.UTC(2026, 10, 1)
const DEPOT = { id: 1, latitude: 30.25, longitude: -97.75, radius: 500 }

it('The progress of a parked object keeps no memory but its own', () => {
  const object = new DerivedObject()
  object.object.append([0, 1, 2].map((minute) => fixAt(START + minute * 60_000)))
  const { progress } = object.derive(placeIndex([], [DEPOT]), 1_000)
  const owners = openOwners(progress!)
  const [visit, stop] = owners
  assert.ok(owners.length === 2 && visit !== undefined)
  assert.ok(stop !== undefined && 'kind' in stop && stop.kind === 'stop')
  const kept = [visit.stored!.fields, stop.stored!.fields, packCheckpoint(stop.checkpoint)]
  // Memory that other values share would be in use until the object moves.
  for (const bytes of kept) assert.equal(bytes.buffer.byteLength, bytes.byteLength)
})
