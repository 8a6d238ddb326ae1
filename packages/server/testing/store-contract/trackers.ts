import assert from 'node:assert/strict'
import { describe } from 'node:test'
import fc from 'fast-check'
import type { Fix } from '../../src/base/domain/position/fix.ts'
import type { FoldRules } from '../../src/base/domain/position/fold-state.ts'
import type { Store } from '../../src/engine/store/store.ts'
import { type Arrival, anyArrival, anySettings } from './arrivals.ts'
import { driveOf, drivesOn, rowsOf } from './drives.ts'
import { idOf, MISSING, NOW, newOrganization, objectSettings, type StoreTest } from './fixture.ts'
import { runsOr } from './runs.ts'

/** The newest moment at which a packet with one of the fixes came. */
const lastContact = (fixes: readonly Fix[]) =>
  fixes.reduce((newest, { timeServer }) => Math.max(newest, timeServer), 0)

export function trackerContract(it: StoreTest, rules: FoldRules): void {
  describe('A tracker that is put into another object', () => {
    it('leaves both objects as if it had sent for each in its time', async (store) => {
      const drives = await drivesOn(store, rules)
      const { organization } = drives
      const anySplit = fc.tuple(
        anyArrival,
        anyArrival,
        anySettings,
        fc.double({ min: 0, max: 1, noNaN: true }),
      )
      await fc.assert(
        fc.asyncProperty(anySplit, async ([arrival, own, settings, share]) => {
          const [before, after] = [await drives.add(settings), await drives.add(settings)]
          await appendAll(before, arrival)
          await appendAll(after, own)
          await drives.foldOn()
          const times = arrival.fixes.map(({ timeDevice }) => timeDevice).sort((a, b) => a - b)
          const since = times[Math.floor(share * times.length)] ?? times[0]!
          assert.ok(await move(store, organization, before, after, since))
          await moveOn(store, rules)
          await drives.foldOn()
          const [left, right] = [await drives.add(settings), await drives.add(settings)]
          const isEarlier = ({ timeDevice }: Fix) => timeDevice < since
          const [kept, moved] = [
            arrival.fixes.filter(isEarlier),
            arrival.fixes.filter((fix) => !isEarlier(fix)),
          ]
          if (kept.length > 0) {
            await drives.append(left, kept)
            await seenAt(store, rules, organization, left, lastContact(arrival.fixes), kept[0]!)
            await drives.foldOn()
            await drives.assertAlike(before, left)
          } else {
            assert.equal((await drives.history(before)).length, 0)
            const state = (await store.positions.states(organization, [before])).get(before)!
            assert.deepEqual([state.fold, state.lastFix, state.timeLastMove], [null, null, null])
          }
          await drives.append(right, [...own.fixes, ...moved])
          await drives.foldOn()
          await drives.assertAlike(after, right)
        }),
        { numRuns: runsOr(20) },
      )

      async function appendAll(object: number, { batches }: Arrival) {
        for (const batch of batches) await drives.append(object, batch)
      }
    })

    it('moves thousands of positions slice by slice, each in exactly one object at any moment', async (store) => {
      const drives = await drivesOn(store, rules)
      const { organization, history } = drives
      const [before, after] = [await drives.add(), await drives.add()]
      const drive = driveOf(1_300, 60)
      await drives.append(before, drive)
      assert.ok(await move(store, organization, before, after, drive[200]!.timeDevice))
      const counts: number[] = []
      for (;;) {
        const moved = await store.positions.moveSlice(rules)
        if (moved === null) break
        const [left, right] = [
          rowsOf(await history(before)).length,
          rowsOf(await history(after)).length,
        ]
        assert.equal(left + right, drive.length)
        counts.push(right)
      }
      assert.deepEqual(counts, [500, 1_000, 1_100, 1_100])
    })

    it('moves positions that the other object keeps shorter, which upkeep deletes later', async (store) => {
      const drives = await drivesOn(store, rules)
      const [before, after] = [await drives.add(), await drives.add()]
      const drive = driveOf(10, 60)
      await drives.append(before, drive)
      await move(store, drives.organization, before, after, drive[4]!.timeDevice)
      const shorter: FoldRules = {
        ...rules,
        judge: (object, fix) =>
          object.id === after ? 'beyond_retention' : rules.judge(object, fix),
      }
      await moveOn(store, shorter)
      assert.equal(rowsOf(await drives.history(after)).length, 6)
    })

    it('moves through objects in the order of the requests, however late the positions follow', async (store) => {
      const drives = await drivesOn(store, rules)
      const { organization, history } = drives
      const objects = [await drives.add(), await drives.add(), await drives.add()]
      const [first, second, third] = objects as [number, number, number]
      const drive = driveOf(30, 60)
      await drives.append(first, drive)
      const { ident } = (await store.objects.find(organization, first))!
      await move(store, organization, first, second, drive[10]!.timeDevice, ident)
      await move(store, organization, second, third, drive[20]!.timeDevice, ident)
      await moveOn(store, rules)
      const times = drive.map(({ timeDevice }) => timeDevice)
      for (const [index, object] of objects.entries()) {
        const found = rowsOf(await history(object)).map(({ time }) => time)
        assert.deepEqual(found, times.slice(index * 10, index * 10 + 10))
      }
    })

    it('notes each position that left, and each that came, in the change log', async (store) => {
      const drives = await drivesOn(store, rules)
      const { organization } = drives
      const [before, after] = [await drives.add(), await drives.add()]
      const drive = driveOf(3, 60)
      await drives.append(before, drive)
      await move(store, organization, before, after, drive[1]!.timeDevice)
      await moveOn(store, rules)
      const noted = await store.changeLog.view(organization, async (view) => {
        const changes = await view.changes(0, 100)
        return changes.findLast(({ entries }) => entries.objects.length > 0)!.entries.objects
      })
      const times = drive.slice(1).map(({ timeDevice }) => timeDevice)
      assert.deepEqual(
        noted!.map(({ object, positions }) => [object, positions.map(({ time }) => time)]),
        [before, after].map((object) => [object, times]),
      )
    })

    it('gives the former object its new ident, and tells since when', async (store) => {
      const organization = await newOrganization(store)
      const ids = await put(store, organization, ['tracker', 'b', 'c'])
      const [before, after, third] = ids as [number, number, number]
      const moved = await move(store, organization, before, after, 1_000, 'tracker')
      assert.equal(moved?.ident, 'tracker')
      assert.equal((await store.objects.find(organization, before))?.ident, `without-${before}`)
      assert.ok(await move(store, organization, after, third, 2_000, 'tracker'))
      assert.deepEqual(await store.objects.trackerMoves(organization), [
        { ident: 'tracker', since: 1_000, object: before, successor: after },
        { ident: 'tracker', since: 2_000, object: after, successor: third },
      ])
    })

    it('is refused if nobody has it, if it moved later, or if the new ident is taken', async (store) => {
      const organization = await newOrganization(store)
      const [before, after] = (await put(store, organization, ['tracker', 'b'])) as [number, number]
      const attempt = (id: number, ident: string, since: number, formerIdent: string) =>
        store.objects.moveTracker(organization, id, { ident, since, formerIdent }, NOW)
      assert.deepEqual(await attempt(after, 'unknown', 1_000, 'old'), { outcome: 'ident_is_free' })
      assert.deepEqual(await attempt(before, 'tracker', 1_000, 'old'), { outcome: 'ident_is_free' })
      assert.equal(await attempt(MISSING, 'tracker', 1_000, 'old'), null)
      assert.equal(await attempt(after, 'tracker', 1_000, 'b'), 'ident_taken')
      assert.deepEqual(await store.objects.trackerMoves(organization), [])
      await attempt(after, 'tracker', 1_000, 'old')
      assert.deepEqual(await attempt(before, 'tracker', 1_000, 'older'), {
        ...{ outcome: 'moved_later', since: 1_000 },
      })
    })
  })
}

async function put(store: Store, organization: number, idents: string[]): Promise<number[]> {
  const entries = idents.map((ident) => objectSettings(ident))
  return (await store.objects.put(organization, entries, NOW)).map(idOf)
}

/** Gives the tracker of `before` to `after`. */
async function move(
  store: Store,
  organization: number,
  before: number,
  after: number,
  since: number,
  ident?: string,
) {
  const holder = (await store.objects.find(organization, before))!
  const tracker = { ident: ident ?? holder.ident, since, formerIdent: `without-${before}` }
  const moved = await store.objects.moveTracker(organization, after, tracker, NOW)
  return moved !== null && typeof moved === 'object' && 'id' in moved ? moved : null
}

async function moveOn(store: Store, rules: FoldRules): Promise<void> {
  while ((await store.positions.moveSlice(rules)) !== null);
}

/** A packet that is refused shows that the device is there. */
function seenAt(
  store: Store,
  rules: FoldRules,
  organization: number,
  object: number,
  timeServer: number,
  fix: Fix,
) {
  const refused = { object, fix: { ...fix, timeServer }, refused: 'implausible_past' as const }
  return store.positions.append(organization, [refused], rules)
}
