import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import fc from 'fast-check'
import { handedClock } from '../../../../testing/handed-clock.ts'
import { FoldedObject } from '../../../../testing/records/folded-object.ts'
import { repeatedViews } from '../../../../testing/repeated-views.ts'
import { anySettings } from '../../../../testing/store-contract/arrivals.ts'
import { driveOf, drivesOn } from '../../../../testing/store-contract/drives.ts'
import { fixAt, NOW } from '../../../../testing/store-contract/fixture.ts'
import { temporaryStore } from '../../../../testing/stores/temporary-sqlite-store.ts'
import { runAtOnce } from '../../../base/domain/common/steps.ts'
import type { Fix } from '../../../base/domain/position/fix.ts'
import type { ChangeLogStore } from '../../store/change-log.ts'
import { foldRules } from '../../tracking/rules/advance.ts'
import type { TrackRow } from '../../tracking/track-row.ts'
import { AdherenceTotals, type Deviation, Deviations, readAdherence } from './adherence.ts'
import { indexRoute } from './route-indexes.ts'

const DRIVE = driveOf(1_000, 100)

const COORDINATES = DRIVE.map(({ longitude, latitude }): [number, number] => [longitude, latitude])

const DRIVEN_ROUTE = { id: 1, coordinates: [COORDINATES], points: [], deviation: 100 }

const timeOf = ({ timeDevice }: Fix) => timeDevice

describe('A long range', async () => {
  const { store, cleanUp } = await temporaryStore()
  after(cleanUp)
  const drives = await drivesOn(store, foldRules(handedClock(NOW * 1_000)))
  const object = await drives.add()
  await drives.append(object, DRIVE)
  const range = { from: timeOf(DRIVE[0]!), to: timeOf(DRIVE[990]!) }
  const reading = { organization: drives.organization, object, range }
  const gone = new AbortController().signal
  const route = runAtOnce(indexRoute(DRIVEN_ROUTE))

  it('is read in several views, each leg in one of them', async () => {
    const whole = new AdherenceTotals(route)
    const { until } = await readAdherence(store.changeLog, { ...reading, gone }, whole)
    let views = 0
    const changeLog: Pick<ChangeLogStore, 'view'> = {
      async view(organization, work, signal) {
        views += 1
        // A late fix moves the counters of all later rows between two views.
        const late = { ...DRIVE[2 * views]!, latitude: 30.26 }
        const timeDevice = late.timeDevice + 5_000
        if (views > 1) await drives.append(object, [{ ...late, timeDevice }])
        return store.changeLog.view(organization, work, signal)
      },
    }
    const parts = new AdherenceTotals(route)
    const read = await readAdherence(changeLog, { ...reading, gone }, parts, 200)
    assert.deepEqual(read, { isWhole: true, until })
    assert.ok(views >= 3, String(views))
    assert.deepEqual(runAtOnce(parts.result()), runAtOnce(whole.result()))
  })

  it('counts once what a failed view had read', async () => {
    const [once, again] = [new AdherenceTotals(route), new AdherenceTotals(route)]
    await readAdherence(store.changeLog, { ...reading, gone }, once)
    await readAdherence(repeatedViews(store.changeLog), { ...reading, gone }, again, 200)
    assert.deepEqual(runAtOnce(again.result()), runAtOnce(once.result()))
  })

  it('is read no further when the client has gone', async () => {
    const left = AbortSignal.abort(new Error('nobody reads'))
    const totals = new AdherenceTotals(route)
    await assert.rejects(readAdherence(store.changeLog, { ...reading, gone: left }, totals), {
      message: 'nobody reads',
    })
  })

  it('is compared no further when the client has gone', async () => {
    const leaving = new AbortController()
    const totals = new AdherenceTotals(route)
    const add = totals.add.bind(totals)
    let added = 0
    totals.add = function* (row) {
      added += 1
      leaving.abort(new Error('nobody reads'))
      // Longer than a turn.
      const until = performance.now() + 5
      while (performance.now() < until);
      yield* add(row)
    }
    const { signal } = leaving
    await assert.rejects(readAdherence(store.changeLog, { ...reading, gone: signal }, totals), {
      message: 'nobody reads',
    })
    assert.equal(added, 1)
  })
})

const START = Date.UTC(2026, 4, 4)

/** A street to the east, with a waypoint at each end. */
const ROUTE = {
  id: 1,
  coordinates: [[[2, 41] as [number, number], [2.1, 41] as [number, number]]],
  points: [
    { location: [2, 41] as [number, number], order: 1 },
    { location: [2.1, 41] as [number, number], order: 2 },
  ],
  deviation: 100 as number | null,
}

function rowsOf(fixes: readonly Fix[], settings = {}): TrackRow[] {
  const object = new FoldedObject(settings)
  object.append(fixes)
  return object.rows(-1)
}

function totalsOf(rows: readonly TrackRow[], route = ROUTE) {
  const totals = new AdherenceTotals(runAtOnce(indexRoute(route)))
  for (const row of rows) runAtOnce(totals.add(row))
  return runAtOnce(totals.result())
}

describe('Adherence', () => {
  it('without a deviation of the route, or without a distance, has no share', () => {
    const rows = rowsOf([
      fixAt(START, { latitude: 41, longitude: 2, speed: 30 }),
      fixAt(START + 20_000, { latitude: 41, longitude: 2.002, speed: 30 }),
    ])
    const free = totalsOf(rows, { ...ROUTE, deviation: null })
    assert.deepEqual([free.shareInside, free.deviations], [null, []])
    assert.equal(free.waypoints[0]!.isVisitedInOrder, null)
    const parked = totalsOf(rowsOf([fixAt(START, { latitude: 41, longitude: 2.05 })]))
    assert.deepEqual([parked.distance, parked.shareInside], [0, null])
    assert.equal(totalsOf([]).distance, null)
  })

  it('is the same if the newest row comes again, and shares what the odometer counts', () => {
    const anyFixes = fc.array(
      fc.record({
        wait: fc.constantFrom(1_000, 30_000, 400_000),
        latitude: fc.constantFrom(41, 41.0005, 41.002, 41.5, 60),
        longitude: fc.constantFrom(1.99, 2, 2.05, 2.06, 2.1),
        speed: fc.constantFrom(null, 0, 40),
        odometer: fc.constantFrom(null, 5, 9),
      }),
      { minLength: 1, maxLength: 30 },
    )
    fc.assert(
      fc.property(anyFixes, anySettings, fc.nat(), (steps, settings, at) => {
        let time = START
        const fixes = steps.map(({ wait, ...fields }) => {
          time += wait
          return fixAt(time, fields)
        })
        const rows = rowsOf(fixes, settings)
        const whole = totalsOf(rows)
        const again = rows.toSpliced(at % rows.length, 0, rows[at % rows.length]!)
        assert.deepEqual(totalsOf(again), whole)
        const believed = rows.filter(({ isSuspect }) => !isSuspect)
        const known = believed.flatMap(({ odometer }) => odometer ?? [])
        assert.equal(whole.distance ?? 0, (known.at(-1) ?? 0) - (known[0] ?? 0))
        assert.ok(whole.shareInside === null || (whole.shareInside >= 0 && whole.shareInside <= 1))
      }),
      { numRuns: 200 },
    )
  })
})

const MINUTE = 60_000

type Position = { time: number; distance: number; silent: number }

function found(positions: readonly Position[]): Deviation[] {
  const deviations = new Deviations(50)
  for (const { time, distance, silent } of positions) deviations.add(time, distance, silent)
  return deviations.all()
}

/** Each position outside begins a deviation, unless it belongs to the one before. */
function plain(positions: readonly Position[]): Deviation[] {
  const deviations: { -readonly [Field in keyof Deviation]: Deviation[Field] }[] = []
  for (const [index, { time, distance }] of positions.entries()) {
    if (distance <= 50) continue
    const last = deviations.at(-1)
    const since = positions.slice(0, index).filter((each) => last && each.time > last.end)
    if (last === undefined || since.some((each) => each.time - last.end > 2 * MINUTE)) {
      deviations.push({ start: time, end: time, silentTime: 0, greatestDistance: distance })
    } else {
      last.end = time
      last.greatestDistance = Math.max(last.greatestDistance, distance)
    }
  }
  for (const each of deviations) {
    const within = positions.filter(({ time }) => time > each.start && time <= each.end)
    each.silentTime = within.reduce((sum, { silent }) => sum + silent, 0)
  }
  return deviations
}

it('a return of more than two minutes ends a deviation, and a gap does not', () => {
  const at = (minutes: number, distance: number, silent = 0) => {
    return { time: minutes * MINUTE, distance, silent }
  }
  assert.deepEqual(found([at(0, 50), at(1, 51), at(2, 80), at(3, 0), at(4, 60), at(5, 0)]), [
    { start: MINUTE, end: 4 * MINUTE, silentTime: 0, greatestDistance: 80 },
  ])
  assert.equal(found([at(0, 60), at(1, 0), at(3, 0), at(4, 60)]).length, 2)
  assert.equal(found([at(0, 60), at(60, 70)]).length, 1)
  assert.equal(found([at(0, 60), at(90, 70, 90 * MINUTE)])[0]!.silentTime, 90 * MINUTE)
  assert.deepEqual(found([at(0, 0)]), [])
})

it('deviations are those of a plain computation', () => {
  const anyPositions = fc.array(
    fc.record({
      wait: fc.constantFrom(1_000, 50_000, MINUTE, 2 * MINUTE, 3 * MINUTE),
      distance: fc.constantFrom(0, 50, 50.1, 900),
      silent: fc.constantFrom(0, 0, 7),
    }),
    { maxLength: 30 },
  )
  fc.assert(
    fc.property(anyPositions, (steps) => {
      let time = 0
      const positions = steps.map(({ wait, distance, silent }) => {
        time += wait
        return { time, distance, silent }
      })
      assert.deepEqual(found(positions), plain(positions))
    }),
    { numRuns: 500 },
  )
})
