import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { SENT, type SentKey } from '../../src/base/domain/position/field-lists.ts'
import type { Fix } from '../../src/base/domain/position/fix.ts'
import { asStored, FIX_RECORD } from '../../src/base/domain/position/fix-record.ts'
import type { TimeRange } from '../../src/base/domain/time/time.ts'
import type { AppendOutcome } from '../../src/engine/tracking/fold-tables.ts'
import { recordsIn } from '../records-in-columns.ts'
import {
  ALL_TIME,
  append,
  fixAt,
  MISSING,
  newFleet,
  newObject,
  newOrganization,
  recordsFrom,
  recordsOf,
  type StoreTest,
} from './fixture.ts'
import { runsOr } from './runs.ts'

export function historyContract(it: StoreTest): void {
  describe('history', () => {
    it('is invisible to other organizations', async (store) => {
      const [owner, other] = [await newOrganization(store), await newOrganization(store)]
      const object = await newObject(store, owner)
      await append(store, owner, object, [fixAt(1), fixAt(2)])
      for (const [organization, id] of [
        [other, object],
        [owner, MISSING],
        [MISSING, object],
      ] as const) {
        const page = await store.positions.history(organization, id, ALL_TIME, 1)
        assert.equal(page.next, null)
        assert.equal((await recordsOf(page)).length, 0)
        assert.equal(await store.positions.count(organization, id, ALL_TIME, 9), 0)
      }
    })

    it('pages through a long range without a gap, in blocks of limited size', async (store) => {
      const { append, history, count } = await newFleet(store)
      const fixes = Array.from({ length: 25_000 }, (_, index) => fixAt(index * 2))
      await append(fixes)
      for (const limit of [1, 249, 250, 251, 499, 500, 501, 10_000, 20_001, 24_999]) {
        const page = await history(limit)
        assert.equal(page.next, fixes[limit - 1]?.timeDevice)
        assert.deepEqual(await recordsOf(page), recordsFrom(fixes.slice(0, limit)))
      }
      for (const limit of [25_000, 25_001, Number.MAX_SAFE_INTEGER, null]) {
        const page = await history(limit)
        assert.equal(page.next, null)
        for await (const block of page.blocks) {
          assert.ok(block.rows > 0 && block.rows * FIX_RECORD.optional < 256 * 1024)
        }
      }
      for (const atMost of [1, 10_000, 24_999, 25_000, 99_999]) {
        assert.equal(await count(atMost), Math.min(atMost, 25_000))
      }
    })

    it('fails if its object is deleted during the read', async (store) => {
      const { organization, object, append, history } = await newFleet(store)
      const fixes = Array.from({ length: 5_000 }, (_, index) => fixAt(index))
      await append(fixes)
      const page = await history()
      await assert.rejects(
        async () => {
          for await (const _block of page.blocks) await store.objects.delete(organization, object)
        },
        { name: 'StoreUnavailable' },
      )
    })

    it('returns exactly the rows from the time when the page was opened', async (store, reopen) => {
      const writer = await reopen()
      const organization = await newOrganization(store)
      await fc.assert(
        fc.asyncProperty(
          fc.uniqueArray(fc.nat(4_000), { minLength: 1, maxLength: 2_000 }),
          fc.uniqueArray(fc.nat(4_000), { maxLength: 2_000 }),
          fc.option(fc.integer({ min: 1, max: 2_500 })),
          async (first, late, limit) => {
            const object = await newObject(store, organization, `${first} ${late} ${limit}`)
            const fixes = first.map((time) => fixAt(time))
            await append(store, organization, object, fixes)
            const page = await store.positions.history(organization, object, ALL_TIME, limit)
            // Once before the first block, and once in the middle.
            const half = late.length / 2
            await append(
              writer,
              organization,
              object,
              late.slice(0, half).map((time) => fixAt(time)),
            )
            const blocks: Uint8Array[] = []
            for await (const block of page.blocks) {
              if (blocks.push(recordsIn(block)) > 1) continue
              await append(
                store,
                organization,
                object,
                late.slice(half).map((time) => fixAt(time)),
              )
            }
            const expected = fixes.sort((a, b) => a.timeDevice - b.timeDevice)
            const rows = expected.slice(0, limit ?? undefined)
            assert.deepEqual(Buffer.concat(blocks), recordsFrom(rows))
            const more = expected.length > rows.length
            assert.equal(page.next, more ? rows.at(-1)?.timeDevice : null)
          },
        ),
        { numRuns: runsOr(10) },
      )
    })

    it('equals a map, together with append', async (store) => {
      const organization = await newOrganization(store)
      let objects = 0
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(anyFix, { maxLength: 30 }), { maxLength: 8 }),
          fc.array(anyRange, { minLength: 1, maxLength: 5 }),
          async (batches, pages) => {
            objects += 1
            const object = await newObject(store, organization, `${objects}`)
            const model = new Map<number, Fix>()
            for (const batch of batches) {
              assert.deepEqual(
                await append(store, organization, object, batch),
                batch.map((fix) => appendToModel(model, fix)),
              )
            }
            for (const { range, limit } of pages) {
              const page = await store.positions.history(organization, object, range, limit)
              const inRange = readModel(model, range)
              const rows = inRange.slice(0, limit ?? undefined)
              assert.deepEqual(await recordsOf(page), recordsFrom(rows))
              const more = inRange.length > rows.length
              assert.equal(page.next, more ? rows.at(-1)?.timeDevice : null)
              const atMost = limit ?? 1_000
              assert.equal(
                await store.positions.count(organization, object, range, atMost),
                Math.min(inRange.length, atMost),
              )
            }
          },
        ),
        { numRuns: runsOr(20) },
      )
    })
  })
}

function appendToModel(model: Map<number, Fix>, fix: Fix): AppendOutcome {
  const first = model.get(fix.timeDevice)
  if (first === undefined) {
    model.set(fix.timeDevice, fix)
    return 'accepted'
  }
  const heardAlike = { ...first, timeServer: fix.timeServer }
  return isDeepStrictEqual(asStored(heardAlike), asStored(fix)) ? 'duplicate' : 'conflict'
}

function readModel(model: Map<number, Fix>, { from, to }: TimeRange): Fix[] {
  return [...model.values()]
    .filter(({ timeDevice }) => timeDevice >= from && timeDevice <= to)
    .sort((a, b) => a.timeDevice - b.timeDevice)
}

/** Few moments, so that they collide; few and extreme values, so that records are alike and contain any byte. */
const time = fc.nat(40)
const wild = (limit: number) =>
  fc.option(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: Math.floor(limit) })))
const anyFix: fc.Arbitrary<Fix> = fc.oneof(
  time.map((at) => fixAt(at)),
  fc.record({
    timeDevice: time,
    timeServer: fc.nat(),
    latitude: fc.double({ min: -90, max: 90, noNaN: true }),
    longitude: fc.double({ min: -180, max: 180, noNaN: true }),
    ...(Object.fromEntries(SENT.map(({ key, maximum }) => [key, wild(maximum)])) as Record<
      SentKey,
      fc.Arbitrary<number | null>
    >),
    ignition: fc.option(fc.boolean()),
    corrected: fc.boolean(),
    address: fc.option(fc.string({ unit: 'grapheme', maxLength: 40 })),
    attributes: fc.constant(null),
  }),
)
const anyRange = fc.record({
  range: fc.record({ from: time, to: time }),
  limit: fc.option(fc.integer({ min: 1, max: 50 })),
})
