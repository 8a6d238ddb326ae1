import assert from 'node:assert/strict'
import type { ObjectState } from '../../../../packages/server/src/base/domain/position/object-state.ts'
import type { DerivedRecord } from '../../../../packages/server/src/base/domain/record.ts'
import type { Store } from '../../../../packages/server/src/engine/store/store.ts'
import { sorted } from '../../../../packages/server/testing/records/plain-records.ts'
import {
  assertSameRows,
  rowsOf,
} from '../../../../packages/server/testing/store-contract/drives.ts'
import { ALL_TIME, recordsOf } from '../../../../packages/server/testing/store-contract/fixture.ts'
import { request } from '../../harness/client.ts'
import { resultOf } from '../../harness/envelope.ts'
import type { Json } from '../../harness/fleetgate.ts'
import { PREFIX } from '../../harness/organization.ts'
import type { Server } from '../../harness/server.ts'

const EVERY_ROW = 10_000_000
const DATES = 'from_date=2026-09-20&to_date=2026-10-20'
/** Fields that differ between organizations, or depend on when packets came. */
const OWN = [
  ...['object_id', 'id', 'changed_at', 'digest', 'counters_digest'],
  ...['late', 'worst_lateness', 'rejected'],
]

/**
 * Checks that two organizations have the same positions with all that is folded and derived from them, by the idents of their
 * objects. `keys`: by organization.
 */
export async function assertAlike(
  store: Store,
  server: Pick<Server, 'api'>,
  keys: ReadonlyMap<number, string>,
): Promise<void> {
  const [a, b] = await Promise.all(keys.keys().map((id) => storedOf(store, id)))
  assert.deepEqual([...a!.keys()], [...b!.keys()])
  for (const [ident, object] of a!) {
    const other = b!.get(ident)!
    assert.ok(object.rows.length > 0)
    assert.equal(object.track.length, other.track.length, `the positions of ${ident}`)
    for (const [at, row] of object.track.entries()) {
      assert.deepEqual(row, other.track[at], `row ${at} of ${ident}`)
    }
    assertSameRows(object.rows, other.rows)
    assert.deepEqual(object.state, other.state, `the state of ${ident}`)
    assert.deepEqual(object.records, other.records, `the records of ${ident}`)
  }
  for (const path of [`/days?${DATES}`, `/coverage?${DATES}`]) {
    const [days, others] = await Promise.all(
      keys.values().map((key) => reported(server, key, path)),
    )
    assert.ok(days!.length > 0)
    assert.deepEqual(days, others)
  }
}

async function storedOf(store: Store, organization: number) {
  const objects = await store.objects.list(organization)
  const states = await store.positions.states(organization)
  const stored = await store.changeLog.view(organization, async (view) => {
    return Promise.all(
      objects.map(async ({ id, ident }) => {
        const history = await store.positions.history(organization, id, ALL_TIME, null)
        const records = (await view.recordsIn(id, ALL_TIME)).map(({ record }) => record)
        return {
          ident,
          track: await view.rows(id, -1, EVERY_ROW),
          rows: rowsOf(await recordsOf(history)),
          state: withoutArrival(states.get(id)!),
          records: sorted(records).map(withoutPlaces),
        }
      }),
    )
  })
  const byIdent = stored!.toSorted((a, b) => (a.ident < b.ident ? -1 : 1))
  return new Map(byIdent.map((each) => [each.ident, each]))
}

/** There is one geofence and one site, whose ids differ. */
function withoutPlaces(record: DerivedRecord): Json {
  if (record.kind === 'visit') return { ...record, place: null }
  if (record.kind === 'trip') return record
  return { ...record, geofences: record.geofences.length, sites: record.sites.length }
}

function withoutArrival({ timeServer: _, lastFix, ...state }: ObjectState) {
  return { ...state, lastFix: { ...lastFix, timeServer: null } }
}

async function reported(server: Pick<Server, 'api'>, key: string, path: string): Promise<Json[]> {
  const answer = await request(server.api, PREFIX + path, { headers: { 'x-api-key': key } })
  const rows: Json[] = resultOf(answer)
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).filter(([field]) => !OWN.includes(field))),
  )
}
