import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { handedClock } from '../../../../testing/handed-clock.ts'
import { driveOf, drivesOn } from '../../../../testing/store-contract/drives.ts'
import { NOW, purge } from '../../../../testing/store-contract/fixture.ts'
import { temporaryStore } from '../../../../testing/stores/temporary-sqlite-store.ts'
import { DAY_MS, utcDay } from '../../../base/domain/time/time.ts'
import { foldRules } from '../../tracking/rules/advance.ts'
import { KeptCoverage } from './read-coverage.ts'

const DRIVE = driveOf(40, 100)
const DAY = utcDay(DRIVE[0]!.timeDevice)
const ALWAYS = { from: 0, to: 2 ** 48 - 1 }

async function opened(t: TestContext) {
  const { store, cleanUp } = await temporaryStore()
  t.after(cleanUp)
  const clock = handedClock(NOW * 1_000)
  const drives = await drivesOn(store, foldRules(clock))
  const { organization } = drives
  const object = await drives.add()
  const coverage = new KeptCoverage(store, clock)
  const read = async (from: number, to: number, visible = ALWAYS) => {
    const query = { objects: [object], from, to, visible: () => visible }
    return (await Array.fromAsync(coverage.read(organization, query))).flat()
  }
  return { store, drives, organization, object, read }
}

describe('Coverage', () => {
  it('reads a long log in steps between which others run', async (t) => {
    const { drives, object, read, store, organization } = await opened(t)
    assert.deepEqual(await read(DAY, DAY), [])
    const many = driveOf(2_400, 10)
    for (const fix of many) await drives.append(object, [fix])
    let turns = 0
    let isReading = true
    const count = () => {
      turns += 1
      if (isReading) setImmediate(count)
    }
    setImmediate(count)
    const steps: number[] = []
    const { advance } = store.coverage
    store.coverage.advance = async (...values) => {
      steps.push(turns)
      await advance(...values)
    }
    const days = await read(DAY, DAY + 1)
    isReading = false
    assert.equal(
      days.reduce((sum, { content }) => sum + content!.positions, 0),
      many.length,
    )
    assert.equal(steps.length, 2)
    assert.ok(steps[0]! >= 7, `${steps[0]} turns while 2,000 changes were read`)
    const state = await store.coverage.state(organization)
    const newest = (await store.changeLog.newest([organization])).get(organization)
    assert.equal(state!.seq, newest!.seq)
  })

  it('is brought up to date once for those who ask at the same time', async (t) => {
    const { drives, object, read, store } = await opened(t)
    await read(DAY, DAY)
    await drives.append(object, DRIVE)
    let notes = 0
    const { advance } = store.coverage
    store.coverage.advance = async (...values) => {
      notes += 1
      await advance(...values)
    }
    const answers = await Promise.all([1, 2, 3].map(() => read(DAY, DAY + 1)))
    assert.equal(notes, 1)
    for (const days of answers) assert.deepEqual(days, answers[0])
  })

  it('forgets its days when the retention changes', async (t) => {
    const { drives, object, organization, read, store } = await opened(t)
    await drives.append(object, DRIVE)
    const [before] = await read(DAY, DAY)
    assert.equal(before!.content!.positions > 0, true)
    await store.organizations.update(organization, { retentionDays: 1 }, NOW)
    await purge(store, organization, NOW + DAY_MS)
    await store.organizations.update(organization, { retentionDays: 90 }, NOW)
    const left = (await read(DAY, DAY)).reduce((sum, { content }) => sum + content!.positions, 0)
    assert.ok(left < before!.content!.positions, 'days that were purged are computed anew')
  })

  it('keeps no day that has not begun', async (t) => {
    const { drives, object, organization, read, store } = await opened(t)
    await drives.append(object, DRIVE)
    await read(DAY, DAY + 30)
    const kept = await store.coverage.days(organization, [object], 0, 2 ** 31)
    assert.ok(kept.length > 0)
    assert.ok(kept.every(({ day }) => day <= utcDay(NOW)))
  })
})
