import assert from 'node:assert/strict'
import type { Counters } from '../../src/base/domain/position/fold-state.ts'
import type { ObjectState } from '../../src/base/domain/position/object-state.ts'
import type { ShiftEntry } from '../../src/engine/store/change-entries.ts'
import type { ChangeView } from '../../src/engine/store/change-log.ts'
import type { Store } from '../../src/engine/store/store.ts'
import { rowsOf } from './drives.ts'
import { ALL_TIME, recordsOf } from './fixture.ts'

type Row = { -readonly [Counter in keyof Counters]: Counters[Counter] } & {
  time: number
  asOf: number
}

/** The positions and states of an organization, made from its change log alone. */
export type FollowedLog = {
  /** Applies the next changes. Returns whether there were some. */
  follow(limit: number): Promise<boolean>
  /** Follows the log to its end, `limit` changes at a time, and compares with what the store answers. */
  assertEqual(object: number, limit: number): Promise<void>
}

export function followedLog(store: Store, organization: number): FollowedLog {
  const positions = new Map<number, Map<number, Row>>()
  const states = new Map<number, ObjectState>()
  let last = 0

  const rowsFor = (object: number) => {
    const existing = positions.get(object) ?? new Map<number, Row>()
    positions.set(object, existing)
    return existing
  }

  async function apply(view: ChangeView, object: number, times: number[]): Promise<void> {
    const rows = rowsFor(object)
    for (const time of times) rows.delete(time)
    const found = await view.positions(times.map((time) => ({ object, time })))
    for (const record of found.filter((each) => each !== null)) {
      for (const row of rowsOf(Buffer.from(record))) rows.set(row.time, { ...row, asOf: view.asOf })
    }
  }

  async function shift(view: ChangeView, object: number, seq: number, by: ShiftEntry) {
    const trips = await view.earlierTrips(object, by.from, by.tripsSince)
    for (const row of rowsFor(object).values()) {
      if (row.asOf >= seq || row.time < by.from) continue
      const isEarlier = trips.some(({ from, to }) => row.time >= from && row.time <= to)
      if (row.odometer !== null) row.odometer += by.odometer
      if (row.mileage !== null && isEarlier) row.mileage += by.mileage
      if (row.engineHours !== null) row.engineHours += by.engineHours
    }
  }

  async function follow(limit: number): Promise<boolean> {
    const applied = await store.changeLog.view(organization, async (view) => {
      const changes = await view.changes(last, limit)
      for (const { seq, entries } of changes) {
        assert.equal(seq, last + 1, 'numbers have no gap')
        last = seq
        for (const { id, topic, isDeleted } of entries.items) {
          if (topic === 'objects' && isDeleted) positions.delete(id)
        }
        for (const each of entries.objects) {
          const { object } = each
          for (const by of each.shifts) await shift(view, object, seq, by)
          await apply(
            view,
            object,
            each.positions.map(({ time }) => time),
          )
          const state = (await view.states([object])).get(object)
          if (state !== undefined) states.set(object, state)
        }
      }
      return changes.length
    })
    return applied !== null && applied > 0
  }

  return {
    follow,
    async assertEqual(object, limit) {
      while (await follow(limit)) {}
      const history = await store.positions.history(organization, object, ALL_TIME, null)
      const expected = rowsOf(await recordsOf(history))
      const rows = [...rowsFor(object).values()].sort((a, b) => a.time - b.time)
      assert.equal(rows.length, expected.length, 'as many positions')
      for (const [index, { asOf: _, ...row }] of rows.entries()) {
        assert.deepEqual(row, expected[index], `row ${index} of ${rows.length}`)
      }
      const state = (await store.positions.states(organization, [object])).get(object)
      assert.deepEqual(states.get(object), state)
    },
  }
}
