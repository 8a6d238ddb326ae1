import assert from 'node:assert/strict'
import { it, type TestContext } from 'node:test'
import fc from 'fast-check'
import { anyArrival, anySettings } from '../../../../testing/store-contract/arrivals.ts'
import { driveOf, drivesOn } from '../../../../testing/store-contract/drives.ts'
import { fixAt, NOW, purge } from '../../../../testing/store-contract/fixture.ts'
import { temporaryStore } from '../../../../testing/stores/temporary-sqlite-store.ts'
import type { Fix } from '../../../base/domain/position/fix.ts'
import { DAY_MS, HOUR_MS, systemClock, utcDay } from '../../../base/domain/time/time.ts'
import { localDays } from '../../../base/domain/time/time-zone.ts'
import { foldRules } from '../../tracking/rules/advance.ts'
import { freshDays, keptDays } from './kept-days.ts'

const RULES = foldRules(systemClock)
/** `driveOf` is a day before, and arrivals seven. */
const FIRST = utcDay(NOW) - 8

type Asked = { zone: string; from: number; days: number; now: number }

const ALL: Asked = { zone: 'UTC', from: 0, days: 9, now: DAY_MS }

async function opened(t: TestContext, maxDays?: number) {
  const { store, cleanUp } = await temporaryStore()
  t.after(cleanUp)
  const drives = await drivesOn(store, RULES)
  const kept = keptDays(maxDays)
  /** Compares kept days with those that are computed in the same view. Returns how often rows were read for them. */
  async function ask(object: number, { zone, from, days, now }: Asked = ALL, shownFrom = 0) {
    const local = localDays(zone)
    const query = {
      ...{ object, timeZone: zone, now: NOW + now, days: local, keptFrom: () => shownFrom },
      ...{ from: local.startOf(FIRST + from), until: local.startOf(FIRST + from + days) },
    }
    let reads = 0
    await store.changeLog.view(drives.organization, async (view) => {
      const rows: typeof view.rows = (...values) => {
        reads += 1
        return view.rows(...values)
      }
      const fresh = await freshDays(view, query)
      assert.deepEqual(await kept({ ...view, rows }, query), fresh)
    })
    return reads
  }
  return { store, drives, ask }
}

const anyZone = fc.constantFrom('UTC', 'Asia/Kathmandu', 'Pacific/Apia')

const anyFrom = fc.integer({ min: 0, max: 3 })

const anyAsked: fc.Arbitrary<Asked> = fc.record({
  zone: anyZone,
  from: anyFrom,
  days: fc.integer({ min: 2, max: 6 }),
  now: fc.constantFrom(-6, -5, -4, 0).map((days) => days * DAY_MS + HOUR_MS),
})

const anyMoment = fc.integer({ min: -7 * 24, max: -5 * 24 }).map((hours) => NOW + hours * HOUR_MS)

/** Batches in any order, of a drive that lasts for hours or days. */
const anyBatches = fc
  .tuple(anyArrival, fc.constantFrom(1, 3, 8))
  .map(([{ fixes, batches }, factor]) => {
    const start = fixes[0]!.timeDevice
    const timeOf = ({ timeDevice }: Fix) => start + (timeDevice - start) * factor
    return batches.map((batch) => batch.map((fix) => ({ ...fix, timeDevice: timeOf(fix) })))
  })

const anyAct = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ act: 'append' as const }) },
  fc.record({ act: fc.constant('erase' as const), from: anyMoment, hours: fc.nat({ max: 9 }) }),
  fc.record({ act: fc.constant('set' as const), settings: anySettings }),
  fc.record({ act: fc.constant('retain' as const), days: fc.constantFrom(null, 5, 6, 7) }),
  fc.constant({ act: 'wait' as const }),
  fc.constant({ act: 'pack' as const }),
  fc.constant({ act: 'delete' as const }),
)

/** Most readers ask again for what is kept. */
const anyStep = fc.record({
  act: anyAct,
  asked: fc.option(fc.oneof(anyAsked, fc.record({ from: anyFrom, days: fc.constant(1) }))),
})

it('kept days are those that are computed afresh, whatever changes', async (t) => {
  const { store, drives, ask } = await opened(t)
  const { organization } = drives
  const property = fc.asyncProperty(
    anyBatches,
    anySettings,
    anyAsked,
    fc.array(anyStep, { minLength: 10, maxLength: 25 }),
    async (batches, settings, usual, steps) => {
      const object = await drives.add(settings)
      const left = batches.slice(batches.length >> 1)
      for (const batch of batches.slice(0, -left.length)) await drives.append(object, batch)
      let [retention, waited]: [number | null, number] = [null, 0]
      for (const { act, asked } of steps) {
        if (act.act === 'append') await drives.append(object, left.shift() ?? [])
        if (act.act === 'erase') {
          const range = { from: act.from, to: act.from + act.hours * HOUR_MS }
          await store.positions.erase(organization, object, { ranges: [range] }, NOW)
          while ((await store.positions.eraseSlice(RULES, NOW)) !== null);
        }
        if (act.act === 'set') {
          await store.objects.update(organization, object, act.settings, NOW)
          await store.positions.requestRefold({ organization, object })
          await store.positions.refold(null, RULES)
        }
        if (act.act === 'retain') {
          retention = act.days
          await store.organizations.update(organization, { retentionDays: retention }, NOW)
        }
        if (act.act === 'wait') waited += 7 * HOUR_MS
        const shownFrom = retention === null ? 0 : NOW + waited - retention * DAY_MS
        if (act.act === 'wait' || act.act === 'retain') await purge(store, organization, shownFrom)
        if (act.act === 'pack') await store.positions.pack(organization, NOW, object - 1, 8)
        if (act.act === 'delete') {
          await store.objects.delete(organization, object)
          return void (await ask(object))
        }
        await ask(object, usual, shownFrom)
        if (asked !== null) await ask(object, { ...usual, ...asked }, shownFrom)
      }
      await drives.foldOn()
      await ask(object)
    },
  )
  await fc.assert(property, { numRuns: 120 })
})

it('reads ended days once, and again after a late fix', async (t) => {
  const { drives, ask } = await opened(t)
  const object = await drives.add()
  const today = { ...ALL, now: 0 }
  await drives.append(object, driveOf(200, 10))
  await drives.append(object, [fixAt(NOW, { speed: 0 })])
  assert.ok((await ask(object, today)) > 1)
  assert.equal(await ask(object, today), 1, 'today alone is read')
  assert.equal(await ask(object, { ...today, from: 6, days: 2 }), 0, 'a part of what is kept')
  await drives.append(object, [fixAt(NOW + 60_000, { speed: 0 })])
  assert.equal(await ask(object, today), 1, 'a new fix leaves what has ended')
  await drives.append(object, [fixAt(NOW - DAY_MS + 15_000, { speed: 90 })])
  assert.ok((await ask(object, today)) > 1)
})

it('keeps a bounded number of days', async (t) => {
  const { drives, ask } = await opened(t, 4)
  const objects = [await drives.add(), await drives.add(), await drives.add()]
  for (const object of objects) {
    await drives.append(object, driveOf(200, 10))
    await drives.append(object, [fixAt(NOW, { speed: 0 })])
  }
  const ended = { ...ALL, days: 8, now: 0 }
  for (const object of objects) await ask(object, ended)
  assert.equal(await ask(objects[2]!, ended), 0)
  assert.ok((await ask(objects[0]!, ended)) > 0)
})
