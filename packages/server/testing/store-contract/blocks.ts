import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { crc32 } from 'node:zlib'
import type { FoldRules } from '../../src/base/domain/position/fold-state.ts'
import { DAY_MS, LAST_TIME } from '../../src/base/domain/time/time.ts'
import { DamagedPositions } from '../../src/engine/tracking/work.ts'
import { packAll } from '../stores/packing-store.ts'
import { drivesOn } from './drives.ts'
import { eraseAll } from './erasures.ts'
import {
  fixAt,
  fleetOn,
  foldOn,
  NOW,
  newFleet,
  newObject,
  PLAIN,
  purge,
  type StoreTest,
} from './fixture.ts'

const PACKED_BY_NEWER =
  /^Error: the positions of object .+ were packed by a newer version of Fleetgate: run that version/

function ofNewerVersion(block: Buffer): void {
  block[0] = 2
  block.writeUInt32LE(crc32(block.subarray(0, -4)), block.length - 4)
}

/** `atLast`: the rows that stay when all of the block has expired. */
const UNREADABLE = [
  {
    name: 'damaged',
    change: undefined,
    error: /^Error: the positions of object .+ are damaged/,
    atLast: 0,
  },
  {
    name: 'of a newer version',
    change: ofNewerVersion,
    error: PACKED_BY_NEWER,
    atLast: 300,
  },
]

const minutes = (count: number) => count * 60_000

/** For a store that packs only when it is asked to. */
export function damagedBlockContract(it: StoreTest, rules: FoldRules): void {
  const minute = (count: number) => count * 60_000
  const drive = Array.from({ length: 30 }, (_, index) =>
    fixAt(minute(index), { latitude: 30 + index / 200, speed: 60, ignition: true }),
  )

  describe('A damaged block', () => {
    it('is never read as positions, and disturbs no others', async (store, _reopen, {
      damageBlock,
    }) => {
      const { organization, append, history, records, count } = await newFleet(store)
      await append(drive, rules)
      const intact = await records({ from: minute(20) })
      await packAll(store, organization, 10)
      await damageBlock(minute(10))
      const readAll = async () => Array.fromAsync((await history()).blocks)
      await assert.rejects(readAll, DamagedPositions)
      assert.deepEqual(await records({ from: minute(20) }), intact)
      assert.equal(await count(), 30, 'the table counts them')
    })

    it('holds no late packet up', async (store, _reopen, { damageBlock }) => {
      const { organization, object, append, records } = await newFleet(store)
      await append(drive, rules)
      const kept = await records({ from: minute(20) })
      await packAll(store, organization, 10)
      await damageBlock(minute(10))
      const late = [fixAt(minute(5) + 1, { latitude: 30.025 }), fixAt(minute(15) + 1)]
      assert.deepEqual(await append(late, rules), ['accepted', 'accepted'])
      await store.positions.requestRefold({ organization, object })
      await foldOn(store, rules)
      assert.deepEqual(await records({ from: minute(20) }), kept)
    })

    it('ends a deletion that would leave a state with what is deleted', async (store, _reopen, {
      damageBlock,
    }) => {
      const { organization, object, append, count } = await newFleet(store)
      // It stops once, so no position but those before the damage can have the motion instead.
      const parked = fixAt(minute(30), { latitude: 30.145, speed: 0, ignition: false })
      await append([...drive, parked], rules)
      await packAll(store, organization, 10)
      await damageBlock(minute(10))
      const range = { from: minute(30), to: minute(30) }
      await store.positions.erase(organization, object, { ranges: [range] }, NOW)
      await eraseAll(store, rules)
      const [erasure] = await store.positions.erasures(organization, object)
      assert.deepEqual([erasure!.state, await count()], ['damaged', 31])
      const states = await store.positions.states(organization, [object])
      assert.equal(states.get(object)!.lastFix!.timeDevice, minute(30))
    })

    it('holds no erasure of values up whose range it is not in', async (store, _reopen, {
      damageBlock,
    }) => {
      const { organization, object, append } = await newFleet(store)
      const attributes = [{ name: 'driver', value: 'A. Kaya' }]
      await append([...drive, fixAt(minute(30), { latitude: 30.145, attributes })], rules)
      await packAll(store, organization, 10)
      await damageBlock(minute(10))
      const ranges = [{ from: minute(30), to: minute(30) }]
      await store.positions.erase(organization, object, { ranges, attribute: 'driver' }, NOW)
      await eraseAll(store, rules)
      const [erasure] = await store.positions.erasures(organization, object)
      const states = await store.positions.states(organization, [object])
      const [driver] = states.get(object)!.attributes
      assert.deepEqual([erasure!.state, driver!.value, driver!.count], ['done', null, 0])
    })

    it('ends the move of a tracker, and holds up no other', async (store, _reopen, {
      damageBlock,
    }) => {
      const { organization, object, append, count } = await newFleet(store)
      const idents = ['two', 'three', 'four']
      const [two, three, four] = (
        await store.objects.ensure(organization, idents, NOW)
      ).ids.values()
      await append(drive, rules)
      const whole = drive.map(({ timeDevice, ...fix }) => ({ ...fix, timeDevice: timeDevice + 1 }))
      await store.positions.append(
        organization,
        whole.map((fix) => ({ object: two!, fix })),
        rules,
      )
      await packAll(store, organization, 10)
      await damageBlock(minute(10))
      for (const [from, to] of [
        [object, three!],
        [two!, four!],
      ] as const) {
        const { ident } = (await store.objects.find(organization, from))!
        const tracker = { ident, since: 0, formerIdent: `without-${from}` }
        await store.objects.moveTracker(organization, to, tracker, NOW)
      }
      while ((await store.positions.moveSlice(rules)) !== null);
      const countOf = (id: number) =>
        store.positions.count(organization, id, { from: 0, to: LAST_TIME }, 1_000)
      assert.equal(await countOf(four!), 30)
      assert.equal(await count(), 30, 'those of the damaged object stay')
    })

    it('refuses no packets that are older than it', async (store, _reopen, { damageBlock }) => {
      const { organization, object, append, count } = await newFleet(store)
      await append(drive.slice(10), rules)
      await packAll(store, organization, 10)
      await damageBlock(minute(10))
      for (const older of [9, 5, 7, 3]) {
        assert.deepEqual(await append([drive[older]!], rules), ['accepted'], `${older}`)
      }
      await store.positions.requestRefold({ organization, object })
      await foldOn(store, rules)
      assert.equal(await count(), 24)
    })

    it('keeps no rows after it from being packed, however many there are', async (store, _reopen, {
      damageBlock,
    }) => {
      const { organization, append } = await newFleet(store)
      const blocks = 60
      const fixes = (from: number, count: number) =>
        Array.from({ length: count }, (_, index) => fixAt(minute(from + index)))
      await append(fixes(0, blocks * 10), rules)
      await packAll(store, organization, 10)
      for (let block = 0; block < blocks; block += 1) await damageBlock(minute(block * 10))
      const late = Array.from({ length: blocks }, (_, block) => fixAt(minute(block * 10 + 5) + 1))
      await append(late, rules)
      assert.equal(await packAll(store, organization, 10), 0)
      await append(fixes(blocks * 10, 30), rules)
      assert.equal(await packAll(store, organization, 10), 30)
    })

    it('has its late packets counted by a recompute once it is restored', async (store, _reopen, {
      damageBlock,
    }) => {
      const drives = await drivesOn(store, rules)
      const [restored, intact] = [await drives.add(), await drives.add()]
      await drives.append(restored, drive)
      await packAll(store, drives.organization, 10)
      await damageBlock(minute(10))
      const among = fixAt(minute(15) + 1, { latitude: 30.076, speed: 60, ignition: true })
      const after = fixAt(minute(19) + 1, { latitude: 30.096, speed: 60, ignition: true })
      const repeated = drive[12]!
      const late = [among, after, repeated]
      assert.deepEqual(
        await drives.append(restored, late),
        late.map(() => 'accepted'),
      )
      await packAll(store, drives.organization, 10)
      await damageBlock(minute(10))
      await store.positions.requestRefold({ organization: drives.organization, object: restored })
      await drives.foldOn()
      await drives.append(intact, [...drive, among, after])
      await drives.assertAlike(restored, intact)
      await packAll(store, drives.organization, 10)
      await drives.assertAlike(restored, intact)
    })

    for (const { name, change, error, atLast } of UNREADABLE) {
      it(`holds no retention up if it is ${name}`, async (store, _reopen, { damageBlock }) => {
        const { organization, append, count } = await newFleet(store)
        const other = await newObject(store, organization, 'other')
        const { count: countOther, append: appendOther } = fleetOn(store, organization, other)
        // More rows than one slice of retention takes.
        await append(Array.from({ length: 900 }, (_, index) => fixAt((index * DAY_MS) / 30)))
        await packAll(store, organization, 300)
        await damageBlock(20 * DAY_MS, change)
        await appendOther(drive)
        const failures: unknown[] = []
        const purgeTo = (day: number) =>
          purge(store, organization, day * DAY_MS, (failure) => failures.push(failure))
        await purgeTo(25)
        // It takes whole blocks before this one.
        assert.deepEqual([await count(), await countOther()], [300, 0])
        assert.match(failures.map(String).join('\n'), error)
        await purgeTo(100)
        assert.equal(await count(), atLast)
      })
    }

    it('is known to be one of as many as there should be, whatever packs or removes them', async (store, _reopen, {
      damageBlock,
    }) => {
      const { organization, object, append } = await newFleet(store)
      const assertSound = async (what: string) =>
        assert.deepEqual(
          await store.positions.checkBlocks(organization, object),
          { altered: [], missing: 0 },
          what,
        )
      await assertSound('without blocks')
      await append(drive, rules)
      await packAll(store, organization, 10)
      await assertSound('packed')
      await append([fixAt(minute(5) + 1)], rules)
      await assertSound('with a late packet')
      await packAll(store, organization, 10)
      await assertSound('packed again')
      await damageBlock(minute(20))
      await assertSound('damaged, which a history reports')
      for (const end of [12, 25, 10_000]) {
        await purge(store, organization, minute(end))
        await assertSound(`purged up to ${end}`)
      }
    })

    it('goes when it has expired', async (store, _reopen, { damageBlock, rows }) => {
      const { organization, append } = await newFleet(store)
      await append(drive, rules)
      await packAll(store, organization, 10)
      await damageBlock(minute(0))
      await purge(store, organization, minute(10_000))
      assert.deepEqual(await rows(), [{ organization, time: minute(29), isShown: false }])
    })
  })
}

/** For a store that packs only when it is asked to. */
export function newerBlockContract(it: StoreTest, rules: FoldRules): void {
  const fixes = (from: number, count: number) =>
    Array.from({ length: count }, (_, index) => fixAt(minutes(from + index)))

  describe('A block of a newer version', () => {
    it('says which version to run, and disturbs no other object', async (store, _reopen, {
      damageBlock,
    }) => {
      const { organization, object, append, history } = await newFleet(store)
      const other = fleetOn(store, organization, await newObject(store, organization, 'other'))
      await append(fixes(0, 20), rules)
      await packAll(store, organization, 10)
      await damageBlock(minutes(10), ofNewerVersion)
      await assert.rejects(async () => Array.fromAsync((await history()).blocks), isOfNewer)

      const late = { object, fix: fixAt(minutes(15) + 1) }
      const batch = [late, ...fixes(0, 20).map((fix) => ({ object: other.object, fix }))]
      const outcomes = await store.positions.append(organization, batch, rules)
      assert.deepEqual(new Set(outcomes), new Set(['accepted']))
      await store.positions.requestRefold({ organization, object: null })
      await foldOn(store, rules)
      assert.equal(await other.count(), 20)

      // Enough rows to become one block with it.
      await append(fixes(20, 10), rules)
      const { failure } = await store.positions.pack(organization, LAST_TIME, object - 1, 40)
      assert.match(`${failure}`, PACKED_BY_NEWER)
      assert.equal((await store.positions.pack(organization, LAST_TIME, object, 40)).packed, 20)
    })
  })
}

function isOfNewer(error: unknown): boolean {
  return PACKED_BY_NEWER.test(`${error}`)
}

/** Blocks that are longer than a week, and pages that end in them. */
export function longBlockContract(it: StoreTest): void {
  const hours = 3_600_000
  const times = Array.from({ length: 280 }, (_, index) => index * 6 * hours)

  describe('A history in blocks', () => {
    it('has each row once, over many weeks', async (store) => {
      const { organization, append, history, records, count } = await newFleet(store)
      await append(times.map((time) => fixAt(time)))
      const expected = await records()
      await packAll(store, organization, 40)
      assert.deepEqual(await records(), expected)
      assert.equal(await count(), 280)
      for (const limit of [1, 39, 40, 41, 120, 279, 280]) {
        const { next } = await history(limit)
        assert.equal(next, limit === 280 ? null : times[limit - 1], `${limit}`)
      }
    })

    it('ends pages at the same rows as before, though hidden rows follow', async (store) => {
      const { organization, append, history } = await newFleet(store)
      const hidden: FoldRules = {
        ...PLAIN,
        advance: (...given) => ({ ...PLAIN.advance(...given), hidden: true }),
      }
      await append([0, 1, 2].map((time) => fixAt(time)))
      await append(
        [3, 4].map((time) => fixAt(time)),
        hidden,
      )
      await append([5, 6].map((time) => fixAt(time)))
      const before = await Promise.all(
        [1, 2, 3, 4].map(async (limit) => (await history(limit)).next),
      )
      await packAll(store, organization, 7)
      const after = await Promise.all(
        [1, 2, 3, 4].map(async (limit) => (await history(limit)).next),
      )
      assert.deepEqual(after, before)
      assert.deepEqual(after, [0, 1, 2, 5])
    })
  })
}
