import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { handedClock } from '../../../testing/handed-clock.ts'
import { repeatedViews } from '../../../testing/repeated-views.ts'
import { driveOf, drivesOn } from '../../../testing/store-contract/drives.ts'
import { NOW } from '../../../testing/store-contract/fixture.ts'
import { temporaryStore } from '../../../testing/stores/temporary-sqlite-store.ts'
import { runAtOnce } from '../../domain/common/steps.ts'
import type { Fix } from '../../domain/position/fix.ts'
import type { ChangeLogStore } from '../../store/change-log.ts'
import { foldRules } from '../../tracking/rules/fold-rules.ts'
import { AdherenceTotals } from './adherence.ts'
import { readAdherence } from './read-adherence.ts'
import { indexRoute } from './route-index.ts'

const DRIVE = driveOf(1_000, 100)
const COORDINATES = DRIVE.map(({ longitude, latitude }): [number, number] => [longitude, latitude])
const ROUTE = { id: 1, coordinates: [COORDINATES], points: [], deviation: 100 }
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
  const route = runAtOnce(indexRoute(ROUTE))

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
