import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { FoldedObject } from '../../../../testing/records/folded-object.ts'
import { highestOf, plainRecords, quietsOf } from '../../../../testing/records/plain-records.ts'
import { longitudeAt } from '../../../../testing/records/trial-places.ts'
import { anySettings } from '../../../../testing/store-contract/arrivals.ts'
import { fixAt } from '../../../../testing/store-contract/fixture.ts'
import {
  ATTRIBUTE_DEFAULTS,
  type AttributeEntry,
  type StoredAttribute,
} from '../../../base/domain/attributes/attribute-catalogue.ts'
import type { Fix } from '../../../base/domain/position/fix.ts'
import { UNSEEN } from '../../../base/domain/position/object-state.ts'
import { localDays } from '../../../base/domain/time/time-zone.ts'
import { DAY_FIELDS } from '../../../read/encode/report-fields.ts'
import { rowOf } from '../../../read/encode/row-fields.ts'
import type { TrackRow } from '../../tracking/track-row.ts'
import type { StoredRows } from '../row-reader.ts'
import type { NumberSummary } from './attribute-spans.ts'
import type { ObjectDay } from './day-totals.ts'
import { type DayOffset, type DaysSelection, readDays } from './read-days.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
/** Clocks in Madrid are set back two days later. */
const START = Date.UTC(2026, 9, 23)
const ALL_TIME = { from: 0, until: Date.UTC(2027, 0), keptFrom: () => 0 }

/** A part of some days: a wait, and then fixes that are alike. */
const anyPart = fc.record({
  wait: fc.constantFrom(10_000, 4 * MINUTE, 7 * MINUTE, 3 * HOUR, 11 * HOUR, 49 * HOUR),
  count: fc.integer({ min: 1, max: 40 }),
  every: fc.constantFrom(10_000, MINUTE, 20 * MINUTE),
  east: fc.constantFrom(0, 0, 3, 150, 700, -700, 90_000),
  speed: fc.constantFrom(null, 0, 0, 2, 4, 40, 60, 410),
  ignition: fc.constantFrom(null, null, true, false),
  odometer: fc.constantFrom(null, null, 7, 100.5),
  engineHours: fc.constantFrom(null, null, 3),
})

const anyDrive: fc.Arbitrary<Fix[]> = fc
  .array(anyPart, { minLength: 1, maxLength: 10 })
  .map((parts) => {
    let [time, metres] = [START, 0]
    return parts.flatMap(({ wait, count, every, east, ...fields }) =>
      Array.from({ length: count }, (_, index) => {
        time += index === 0 ? wait : every
        metres += east
        return fixAt(time, { longitude: longitudeAt(metres), ...fields })
      }),
    )
  })

const anyObject = fc.tuple(anyDrive, anySettings).map(([fixes, settings]) => {
  const object = new FoldedObject(settings)
  object.append(fixes)
  return object
})

const anyZone = fc.constantFrom('UTC', 'Europe/Madrid', 'Asia/Kathmandu', 'Pacific/Apia')

function storedRows(objects: readonly FoldedObject[]): StoredRows {
  return {
    rows: async (object, after, limit) => objects[object]!.rows(after, limit),
    rowsBefore: async (object, before, limit) =>
      objects[object]!.rows(-1)
        .filter(({ time }) => time < before)
        .slice(-limit),
  }
}

async function allPages(stored: StoredRows, query: DaysSelection, maxRows?: number) {
  const pages: (readonly ObjectDay[])[] = []
  for (let after: DayOffset | null = null; ; ) {
    const { days, next } = await readDays(stored, { ...query, after }, maxRows)
    assert.ok(days.length <= query.limit)
    pages.push(days)
    if (next === null) return pages
    after = next
  }
}

/** The definition of days, over all rows of an object at once. */
function plainDays(object: number, rows: readonly TrackRow[], zone: string): ObjectDay[] {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone })
  const dates = new Map<string, number[]>()
  for (const [index, { time }] of rows.entries()) {
    const date = format.format(time)
    dates.set(date, [...(dates.get(date) ?? []), index])
  }
  const days = localDays(zone)
  const quiets = quietsOf(rows)
  const isIn = (index: number, isTrip: boolean) =>
    quiets.some((quiet) => quiet.isTrip === isTrip && index > quiet.from && index <= quiet.to)
  const starts = plainRecords(rows, []).filter(({ kind }) => kind === 'trip')
  return Array.from(dates, ([date, indexes]) => {
    const [first, last] = [indexes[0]!, indexes.at(-1)!]
    const legs = rows.slice(Math.max(0, first - 1), last + 1)
    const own = rows.slice(first, last + 1)
    const day = Date.parse(date) / (24 * HOUR)
    const timeIn = (is: (index: number, motion: TrackRow['motion']) => boolean) =>
      indexes.reduce((sum, index) => {
        const [before, row] = [rows[index - 1], rows[index]!]
        if (before === undefined || !is(index, before.motion)) return sum
        return sum + row.time - Math.max(before.time, days.startOf(day))
      }, 0)
    const ordinary = (name: TrackRow['motion']) =>
      timeIn((index, motion) => motion === name && !isIn(index, true) && !isIn(index, false))
    const known = (name: 'odometer' | 'engineHours') => {
      const values = legs.map((row) => row[name]).filter((value) => value !== null)
      return { start: values[0] ?? null, end: values.at(-1) ?? null }
    }
    const odometer = known('odometer')
    return {
      object,
      day,
      distance: odometer.start === null ? null : odometer.end! - odometer.start,
      first: rows[first]!.time,
      last: rows[last]!.time,
      movingTime: ordinary('moving'),
      idleTime: ordinary('idle'),
      stoppedTime: ordinary('stopped') + ordinary(null) + timeIn((index) => isIn(index, false)),
      silentTime: timeIn((index) => isIn(index, true)),
      trips: starts.filter(({ start }) => format.format(start) === date).length,
      positions: own.filter(({ isShown }) => isShown).length,
      maxSpeed: highestOf(rows, first, first - 1, last),
      odometer,
      engineHours: known('engineHours'),
    }
  })
}

describe('Days', () => {
  it('are what a plain computation over the sorted history finds, in pages of any size', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyObject, { minLength: 1, maxLength: 3 }),
        anyZone,
        fc.integer({ min: 1, max: 6 }),
        fc.constantFrom(undefined, 1, 300),
        async (objects, zone, limit, maxRows) => {
          const query = {
            ...{ ...ALL_TIME, days: localDays(zone), limit, after: null },
            objects: objects.map((_, index) => index),
          }
          const pages = await allPages(storedRows(objects), query, maxRows)
          const plain = objects.flatMap((each, index) => plainDays(index, each.rows(-1), zone))
          assert.deepEqual(pages.flat(), plain)
          if (maxRows === undefined) {
            assert.ok(pages.slice(0, -1).every((page) => page.length === limit))
            assert.ok(pages.at(-1)!.length > 0)
          }
        },
      ),
      { numRuns: 150 },
    )
  })

  it('are the same in a part of the time', async () => {
    const anyDays = fc.record({
      first: fc.integer({ min: 0, max: 20 }),
      count: fc.integer({ min: 1, max: 4 }),
    })
    await fc.assert(
      fc.asyncProperty(anyObject, anyZone, anyDays, async (object, zone, { first, count }) => {
        const days = localDays(zone)
        const from = days.dayOf(START) + first
        const range = {
          from: days.startOf(from),
          until: days.startOf(from + count),
          keptFrom: () => 0,
        }
        const query = { ...range, objects: [0], days, after: null, limit: 100 }
        const page = await readDays(storedRows([object]), query)
        const plain = plainDays(0, object.rows(-1), zone)
        const wanted = plain.filter(({ day }) => day >= from && day < from + count)
        assert.deepEqual(page, { days: wanted, next: null })
      }),
      { numRuns: 150 },
    )
  })

  it('add up to the odometer in millimeters, and fill the time', async () => {
    await fc.assert(
      fc.asyncProperty(anyObject, anyZone, async (object, zone) => {
        const query = { ...ALL_TIME, objects: [0], days: localDays(zone), after: null, limit: 100 }
        const { days } = await readDays(storedRows([object]), query)
        const rows = object.rows(-1)
        const known = rows.flatMap(({ odometer }) => odometer ?? [])
        const distances = days.map(({ odometer: { start, end } }) => (end ?? 0) - (start ?? 0))
        assert.equal(sum(distances), (known.at(-1) ?? 0) - (known[0] ?? 0))
        const local = localDays(zone)
        for (const [index, each] of days.entries()) {
          const { movingTime, idleTime, stoppedTime, silentTime } = each
          const before = days[index - 1]?.last ?? rows[0]!.time
          const from = Math.max(before, local.startOf(each.day))
          const all = sum([movingTime, idleTime, stoppedTime, silentTime])
          assert.equal(all, each.last - from)
          assert.ok(all <= 25 * HOUR)
        }
      }),
      { numRuns: 50 },
    )
  })

  it('do not tell which expired rows are deleted already', async () => {
    await fc.assert(
      fc.asyncProperty(anyObject, fc.integer({ min: 0, max: 200 }), async (object, index) => {
        const rows = object.rows(-1)
        const keptFrom = rows[index % rows.length]!.time
        const newestExpired = rows.findLast(({ time }) => time < keptFrom)?.time ?? 0
        const query = {
          ...{ ...ALL_TIME, from: keptFrom, keptFrom: () => keptFrom },
          ...{ objects: [0], days: localDays('UTC'), after: null, limit: 100 },
        }
        const stored = storedRows([object])
        const purged: StoredRows = {
          ...stored,
          rowsBefore: async (...asked) =>
            (await stored.rowsBefore(...asked)).filter(({ time }) => time >= newestExpired),
        }
        assert.deepEqual(await readDays(purged, query), await readDays(stored, query))
      }),
      { numRuns: 100 },
    )
  })
})

const DRIVER: AttributeEntry = {
  ...ATTRIBUTE_DEFAULTS,
  ...{ name: 'driver', type: 'text', label: '', sources: ['tag'] },
}
const LITRES: StoredAttribute = {
  ...ATTRIBUTE_DEFAULTS,
  ...{ id: 1, name: 'litres', type: 'number', label: '', sources: ['meter'], isCounter: true },
}
const TANK: StoredAttribute = {
  ...ATTRIBUTE_DEFAULTS,
  ...{ id: 2, name: 'tank', type: 'number', label: '', sources: ['probe'], isLevel: true },
}
const ATTRIBUTES = [{ name: 'tag' }, { name: 'meter' }, { name: 'probe' }]

/** A text that a position brings, or none. */
const anyTag = fc.option(fc.constantFrom('Ann', 'Bob', 'Cem'), { nil: null, freq: 2 })

/** The rows of an object, the first ones with these tags, each with a counter. */
function taggedRows(object: FoldedObject, tags: readonly (string | null)[]) {
  const tagged = object.rows(-1).map((row, index): TrackRow => {
    const tag = tags[index] ?? null
    return {
      ...row,
      attributes(take) {
        if (tag !== null) take(0, tag)
        take(1, index * index)
        take(2, 300 - ((index * 7) % 120))
      },
    }
  })
  return {
    rows: async (_object: number, after: number, limit: number) =>
      tagged.filter(({ time }) => time > after).slice(0, limit),
    rowsBefore: async (_object: number, before: number, limit: number) =>
      tagged.filter(({ time }) => time < before).slice(-limit),
    checkpoint: async () => null,
    states: async () => new Map([[0, { ...UNSEEN, attributes: ATTRIBUTES as never }]]),
  }
}

describe('Days by a text', () => {
  it('have rows that add up to the day, whatever the size of a page', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyObject,
        anyZone,
        fc.array(anyTag, { maxLength: 60 }),
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom(undefined, 300),
        async (object, zone, tags, limit, maxRows) => {
          const stored = taggedRows(object, tags)
          const query = {
            ...ALL_TIME,
            objects: [0],
            days: localDays(zone),
            attributes: [LITRES, TANK],
          }
          const whole = { ...query, after: null, limit: 1_000 }
          const { days } = await readDays(stored, whole)
          const { days: rows } = await readDays(stored, { ...whole, by: DRIVER })
          const pages = await allPages(
            stored,
            { ...query, after: null, limit, by: DRIVER },
            maxRows,
          )
          assert.deepEqual(pages.flat(), rows)
          for (const day of days) {
            const own = rows.filter((row) => row.day === day.day)
            assert.equal(new Set(own.map(({ text }) => text)).size, own.length)
            for (const name of ADDED) {
              assert.equal(sum(own.map((row) => row[name] ?? 0)), day[name] ?? 0, name)
            }
            const gains = own.map(({ attributes }) => (attributes![0] as NumberSummary).gain!)
            assert.equal(sum(gains), (day.attributes![0] as NumberSummary).gain)
            for (const name of ['used', 'filled', 'drained'] as const) {
              const sums = own.map(({ attributes }) => sumsOf(attributes)?.[name] ?? 0)
              assert.equal(sum(sums), sumsOf(day.attributes)?.[name] ?? 0, name)
            }
            const speeds = own.map(({ maxSpeed }) => maxSpeed ?? -1)
            // A part without a speed has a pace, which the day does not need.
            assert.ok(Math.max(...speeds) >= (day.maxSpeed ?? -1))
            const shown = own.map((row) => dayRow({ day: row, object: VAN }, 'mi'))
            const all = dayRow({ day, object: VAN }, 'mi')
            for (const name of SHOWN) {
              const total = sum(shown.map((row) => Number(row[name] ?? 0)))
              assert.equal(Math.round(total * 100), Math.round(Number(all[name] ?? 0) * 100), name)
            }
          }
        },
      ),
      { numRuns: 200 },
    )
  })

  it('belong to the text that holds at the end of each leg', async () => {
    const object = new FoldedObject()
    object.append(
      [0, 1, 2, 3, 4].map((minute) =>
        fixAt(START + minute * MINUTE, { longitude: longitudeAt(minute * 700), speed: 42 }),
      ),
    )
    const stored = taggedRows(object, [null, 'Ann', null, 'Bob', 'Ann'])
    const query = { ...ALL_TIME, objects: [0], days: localDays('UTC'), after: null, limit: 10 }
    const { days } = await readDays(stored, { ...query, by: DRIVER })
    assert.deepEqual(
      days.map(({ text, movingTime, positions, first, last }) => [
        ...[text, movingTime / MINUTE, positions],
        ...[(first - START) / MINUTE, (last - START) / MINUTE],
      ]),
      [
        ['Ann', 3, 3, 1, 4],
        ['Bob', 1, 1, 3, 3],
        [null, 0, 1, 0, 0],
      ],
    )
  })
})

function sumsOf(attributes: ObjectDay['attributes']) {
  return (attributes![1] as NumberSummary | null)?.sums
}

const ADDED = [
  ...(['movingTime', 'idleTime', 'stoppedTime', 'silentTime'] as const),
  ...(['distance', 'trips', 'positions'] as const),
]
const SHOWN = ['distance', 'moving_time', 'idle_time', 'stopped_time', 'silent_time'] as const
const VAN = { id: 1, ident: '1', name: 'Van' }
const dayRow = rowOf(DAY_FIELDS)

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0)
}
