import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DerivedObject } from '../../../../testing/records/derived-object.ts'
import { fixAt } from '../../../../testing/store-contract/fixture.ts'
import type { Fix } from '../../../base/domain/position/fix.ts'
import { placeIndex } from './place-index.ts'

const MINUTE = 60_000
const START = Date.UTC(2026, 10, 1)
const EVERYTHING = 1_000_000
const DEPOT = { id: 1, latitude: 30.25, longitude: -97.75, radius: 500 }
const CITY = { id: 2, latitude: 30.25, longitude: -97.75, radius: 50_000 }
const PLACES = placeIndex([], [DEPOT, CITY])

/** Ten minutes at the depot, ten minutes away from it, ten minutes there, and the way back, again and again. */
function rounds(count: number): Fix[] {
  const fixes: Fix[] = []
  for (let minute = 0; minute < count * 40; minute += 1) {
    const phase = Math.floor((minute % 40) / 10)
    const part = (minute % 10) + 1
    const away = [0, part, 10, 10 - part][phase]!
    const speed = phase % 2 === 1 ? 30 : 0
    const fix = { longitude: -97.75 + away * 0.005, speed, ignition: speed > 0 }
    fixes.push(fixAt(START + minute * MINUTE, fix))
  }
  return fixes
}

/** Without one fix: the third minute of the way out of a round. */
function without(fixes: Fix[], round: number): { fixes: Fix[]; missed: Fix } {
  const index = round * 40 + 12
  return { fixes: fixes.toSpliced(index, 1), missed: fixes[index]! }
}

describe('A late fix', () => {
  it('makes only the rows between the stops around it be read', () => {
    const { fixes, missed } = without(rounds(100), 50)
    const object = new DerivedObject()
    object.object.append(fixes)
    object.derive(PLACES, EVERYTHING)
    // Away from the straight way, so that all later odometers change.
    object.object.append([{ ...missed, latitude: 30.26 }])
    const derived = object.derive(PLACES, EVERYTHING)
    // The fold itself rewrites 50 rows before it shifts the others.
    assert.ok(derived.rows < 100, `${derived.rows} rows`)
    assert.deepEqual(derived.unfinished, [])
  })

  it('moves the odometers of later trips, and keeps their ids and the other records', () => {
    const { fixes, missed } = without(rounds(10), 5)
    const object = new DerivedObject()
    object.object.append(fixes)
    object.derive(PLACES, EVERYTHING)
    const [trips, stops, visits] = [
      object.records('trip'),
      object.records('stop'),
      object.records('visit'),
    ]
    object.object.append([{ ...missed, latitude: 30.26 }])
    const { deletes } = object.derive(PLACES, EVERYTHING)
    assert.deepEqual(deletes, [])

    const after = object.records('trip')
    const changed = 10
    for (const [index, { id, revision, record }] of after.entries()) {
      const before = trips[index]!
      assert.equal(id, before.id)
      assert.equal(revision, before.revision + Number(index >= changed))
      assert.equal(record.distance === before.record.distance, index !== changed)
      assert.equal(record.from.odometer === before.record.from.odometer, index <= changed)
    }
    assert.deepEqual(object.records('stop'), stops)
    // The object never left the city: that visit has another distance and another position.
    const [city, ...others] = object
      .records('visit')
      .sort((a, b) => b.record.place - a.record.place)
    const [cityBefore] = visits.filter(({ record }) => record.place === CITY.id)
    assert.equal(city!.id, cityBefore!.id)
    assert.equal(city!.record.positions, cityBefore!.record.positions + 1)
    assert.deepEqual(
      others,
      visits.filter(({ record }) => record.place === DEPOT.id),
    )
    const sum = after.reduce((all, { record }) => all + record.distance!, 0)
    assert.equal(city!.record.distance, sum, 'trips add up to the odometer')
  })

  it('may join two trips: the earlier one keeps its id', () => {
    const standing = [0, 1, 2].map((minute) => fixAt(START + minute * MINUTE, { speed: 0 }))
    const out = [3, 4, 20, 21].map((minute) =>
      fixAt(START + minute * MINUTE, { longitude: -97.75 + minute * 0.005, speed: 30 }),
    )
    const pause = fixAt(START + 5 * MINUTE, { longitude: -97.725, speed: 0 })
    const object = new DerivedObject()
    object.object.append([...standing, ...out, pause])
    object.derive(PLACES, EVERYTHING)
    const [first, second] = object.records('trip')
    assert.equal(object.records('stop').at(-1)!.record.start, pause.timeDevice)
    const onTheWay = [9, 13, 17].map((minute) =>
      fixAt(START + minute * MINUTE, { longitude: -97.75 + minute * 0.005, speed: 30 }),
    )
    object.object.append(onTheWay)
    const { deletes } = object.derive(PLACES, EVERYTHING)
    assert.deepEqual(
      object.records('trip').map(({ id }) => id),
      [first!.id],
    )
    assert.ok(deletes.some(({ id }) => id === second!.id))
  })
})

describe('The derivation after a late fix', () => {
  it('goes on from the moved counters, in visits, trips and later late fixes', () => {
    const { fixes, missed } = without(rounds(12), 2)
    const { fixes: others, missed: second } = without(fixes, 8)
    const detour = { ...missed, latitude: 30.26 }
    for (const known of [9 * 40, 9 * 40 + 5, 9 * 40 + 15, 9 * 40 + 25, 9 * 40 + 35]) {
      const parts = [others.slice(0, known), [detour], others.slice(known), [second]]
      assert.deepEqual(recordsOf(parts), recordsOf([[...others, detour, second]]), `${known}`)
    }
  })

  it('does not end at a stop at which a visit is absent since another time', () => {
    // Neither a counter nor the beginning of the trip changes, so that no row after the late one is rewritten.
    const inside = (seconds: number, speed: number) =>
      fixAt(START + seconds * 1_000, { speed, ignition: true })
    const outside = (seconds: number, speed: number) =>
      fixAt(START + seconds * 1_000, { longitude: -97.74, speed, ignition: true })
    const rest = [
      ...[0, 20].map((seconds) => inside(seconds, 0)),
      inside(40, 40),
      ...[80, 90].map((seconds) => outside(seconds, 40)),
      ...[100, 200, 300, 400, 500, 600].map((seconds) => outside(seconds, 0)),
    ]
    for (const late of [inside(60, 40), outside(70, 40)]) {
      assert.deepEqual(recordsOf([rest, [late]]), recordsOf([[...rest, late]]))
    }
  })
})

/** The records after these fixes have come and were derived one part after the other. */
function recordsOf(parts: Fix[][]) {
  const object = new DerivedObject()
  for (const part of parts) {
    object.object.append(part)
    object.derive(PLACES, EVERYTHING)
  }
  return (['trip', 'stop', 'visit'] as const).flatMap((kind) =>
    object
      .records(kind)
      .map(({ record }) => record)
      .sort(
        (a, b) =>
          a.start - b.start || (a.kind === 'visit' && b.kind === 'visit' ? a.place - b.place : 0),
      ),
  )
}

describe('A packet in order', () => {
  it('reads only its own row, and writes only what it changes', () => {
    const object = new DerivedObject()
    const fixes = rounds(3)
    object.object.append(fixes.slice(0, -1))
    object.derive(PLACES, EVERYTHING)
    object.object.append(fixes.slice(-1))
    const derived = object.derive(PLACES, EVERYTHING)
    assert.equal(derived.rows, 1)
    const written = derived.puts.map(({ record, revision }) => [record.kind, revision])
    assert.deepEqual(written.sort(), [
      ['trip', 2],
      ['visit', 2],
      ['visit', 2],
    ])
  })
})
