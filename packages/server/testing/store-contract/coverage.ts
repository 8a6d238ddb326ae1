import assert from 'node:assert/strict'
import { describe } from 'node:test'
import type { FoldRules } from '../../src/base/domain/position/fold-state.ts'
import { utcDay } from '../../src/base/domain/time/time.ts'
import {
  fixAt,
  MISSING,
  NOW,
  newFleet,
  newObject,
  newOrganization,
  type StoreTest,
} from './fixture.ts'

const FORM = 'epoch km'
const DAY = 20_777

export function coverageContract(it: StoreTest, rules: FoldRules): void {
  describe('Kept days', () => {
    it('hold until a change touches them', async (store, reopen) => {
      const { coverage } = store
      const { organization, object } = await newFleet(store)
      assert.equal(await coverage.state(organization), null)
      await coverage.advance(organization, { form: FORM, seq: 5 }, 'all')
      assert.deepEqual(await coverage.state(organization), { form: FORM, seq: 5 })
      const days = [0, 1, 2].map((i) => ({ object, day: DAY + i, content: `{"i":${i}}` }))
      await coverage.keep(organization, { form: FORM, seq: 7 }, days)
      const touched = (from: number, to: number, seq: number) => ({
        object,
        from,
        to,
        seq,
        at: seq,
      })
      await coverage.advance(organization, { form: FORM, seq: 9 }, [
        touched(DAY, DAY, 7),
        touched(DAY + 1, DAY + 1, 8),
        touched(DAY + 2, 2 ** 31, 9),
      ])
      const marks = async () =>
        (await (await reopen()).coverage.days(organization, [object], DAY, DAY + 2)).map(
          ({ content, isOutdated, changedAt }) => [content, isOutdated, changedAt],
        )
      assert.deepEqual(await marks(), [
        ['{"i":0}', false, 7],
        ['{"i":1}', true, 8],
        ['{"i":2}', true, 9],
      ])
      await coverage.keep(organization, { form: FORM, seq: 9 }, days.slice(1))
      assert.deepEqual(
        (await marks()).map(([, isOutdated, changedAt]) => [isOutdated, changedAt]),
        [
          [false, 7],
          [false, 8],
          [false, 9],
        ],
      )
      await coverage.advance(organization, { form: 'epoch mi', seq: 9 }, 'all')
      assert.deepEqual(await marks(), [])
    })

    it('have the newest of the changes that touched them together', async (store) => {
      const { coverage } = store
      const { organization, object } = await newFleet(store)
      const [form, seq] = [FORM, 9]
      await coverage.advance(organization, { form, seq: 1 }, 'all')
      await coverage.keep(organization, { form, seq: 1 }, [{ object, day: DAY, content: '1' }])
      await coverage.advance(organization, { form, seq }, [
        { object, from: DAY, to: DAY, seq: 5, at: 50 },
        { object, from: DAY - 1, to: 2 ** 31, seq: 9, at: 90 },
        { object, from: DAY - 3, to: 2 ** 31, seq: 7, at: 70 },
      ])
      const [day] = await coverage.days(organization, [object], DAY, DAY)
      assert.deepEqual([day!.isOutdated, day!.changedAt], [true, 90])
      // The clock of a process may be behind.
      await coverage.advance(organization, { form, seq: 10 }, [
        { object, from: DAY, to: DAY, seq: 10, at: 80 },
      ])
      assert.equal((await coverage.days(organization, [object], DAY, DAY))[0]!.changedAt, 90)
    })

    it('are dropped together, however many there are', async (store) => {
      const { coverage } = store
      const { organization, object } = await newFleet(store)
      await coverage.advance(organization, { form: FORM, seq: 1 }, 'all')
      const days = Array.from({ length: 10_050 }, (_, day) => ({ object, day, content: '1' }))
      await coverage.keep(organization, { form: FORM, seq: 1 }, days)
      await coverage.advance(organization, { form: 'epoch mi', seq: 1 }, 'all')
      assert.deepEqual(await coverage.days(organization, [object], 0, 2 ** 31), [])
      assert.deepEqual(await coverage.state(organization), { form: 'epoch mi', seq: 1 })
    })

    it('go when the retention has passed them', async (store) => {
      const { coverage } = store
      const [organization, other] = [await newOrganization(store), await newOrganization(store)]
      for (const each of [organization, other]) {
        await coverage.advance(each, { form: FORM, seq: 1 }, 'all')
      }
      const kept = async (of: number, ident: string) => {
        const object = await newObject(store, of, ident)
        const days = [0, 1, 2].map((i) => ({ object, day: DAY + i, content: '1' }))
        await coverage.keep(of, { form: FORM, seq: 1 }, days)
        return object
      }
      const objects = [await kept(organization, '1'), await kept(organization, '2')]
      const foreign = await kept(other, '1')
      let after: number | null = 0
      while (after !== null) {
        after = await coverage.purgeExpired(organization, () => (DAY + 1) * 86_400_000 + 5, after)
      }
      const left = await coverage.days(organization, objects, 0, 2 ** 31)
      assert.deepEqual(
        left.map(({ object, day }) => [object, day - DAY]),
        objects.flatMap((object) => [1, 2].map((day) => [object, day])),
      )
      assert.equal((await coverage.days(other, [foreign], 0, 2 ** 31)).length, 3)
    })

    it('are not kept of an older state, another form, or a foreign object', async (store) => {
      const { coverage } = store
      const organization = await newOrganization(store)
      const other = await newOrganization(store)
      const object = await newObject(store, organization)
      const foreign = await newObject(store, other, '2')
      const keep = (seq: number, form = FORM, id = object) =>
        coverage.keep(organization, { form, seq }, [{ object: id, day: DAY, content: 'null' }])
      await keep(9)
      await coverage.advance(organization, { form: FORM, seq: 9 }, 'all')
      await keep(8)
      await keep(9, 'epoch mi')
      await keep(9, FORM, foreign)
      assert.deepEqual(await coverage.days(organization, [object, foreign], 0, 2 ** 31), [])
      await keep(9)
      assert.equal((await coverage.days(organization, [object], DAY, DAY)).length, 1)
      assert.deepEqual(await coverage.days(other, [object], DAY, DAY), [])
      await coverage.advance(organization, { form: FORM, seq: 3 }, [])
      assert.deepEqual(await coverage.state(organization), { form: FORM, seq: 9 })
      await coverage.advance(MISSING, { form: FORM, seq: 1 }, 'all')
      assert.equal(await coverage.state(MISSING), null)
      await store.objects.delete(organization, object)
      assert.deepEqual(await coverage.days(organization, [object], DAY, DAY), [])
    })
  })

  describe('Rejected packets', () => {
    it('are counted by object, day and reason', async (store) => {
      const { coverage } = store
      const organization = await newOrganization(store)
      const [object, other] = [
        await newObject(store, organization, '1'),
        await newObject(store, organization, '2'),
      ]
      const poor = (id: number, time: number) => ({
        object: id,
        fix: fixAt(time, { hdop: 50, timeServer: NOW }),
      })
      const hour = 3_600_000
      for (const times of [[NOW - hour, NOW + 50 * hour], [NOW - hour], [NOW]]) {
        await store.positions.append(
          organization,
          times.flatMap((time) => [poor(object, time), poor(other, time - 100 * hour)]),
          rules,
        )
      }
      const day = utcDay(NOW)
      const rejected = (packets: number, of: number, reason = 'hdop_above_maximum') => ({
        ...{ object, day: of, reason, packets },
      })
      assert.deepEqual(await coverage.rejects(organization, [object], day - 1, day + 9), [
        rejected(2, day - 1),
        rejected(1, day),
        rejected(1, day, 'in_future'),
      ])
      assert.deepEqual(await coverage.rejects(MISSING, [object], 0, 2 ** 31), [])
    })
  })
}
