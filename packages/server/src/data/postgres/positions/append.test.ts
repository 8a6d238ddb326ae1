import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { handedClock } from '../../../../testing/handed-clock.ts'
import { driveOf, drivesOn } from '../../../../testing/store-contract/drives.ts'
import { ALL_TIME, NOW } from '../../../../testing/store-contract/fixture.ts'
import { temporaryStore } from '../../../../testing/stores/temporary-postgres-store.ts'
import type { Fix } from '../../../base/domain/position/fix.ts'
import type { Store } from '../../../engine/store/store.ts'
import { foldRules } from '../../../engine/tracking/rules/advance.ts'
import { foldStore } from '../../fold/fold-store.ts'
import { openAnnouncements } from '../announcements.ts'
import { statement } from '../connection/connection-pool.ts'
import { type Database, openDatabase } from '../connection/database.ts'
import {
  type OrganizationWrite,
  type OrganizationWrites,
  organizationWrites,
} from '../organization-writes.ts'
import { postgresTables } from '../tables.ts'
import { FORM, tablesOf } from './position-form.ts'

const TRACKING = foldRules(handedClock(NOW * 1_000))
const DRIVE = driveOf(2_000, 60)
/** Objects, states, shifts, erased ranges, and a setting of their organization, asked for at once. */
const READS_OF_TARGETS = 5

describe('An append on PostgreSQL', () => {
  let opened: Awaited<ReturnType<typeof temporaryStore>>
  let drives: Awaited<ReturnType<typeof drivesOn>>
  let counting: ReturnType<typeof countingAppends>
  before(async () => {
    opened = await temporaryStore()
    drives = await drivesOn(opened.store, TRACKING)
    counting = countingAppends(opened.url)
  })
  after(async () => {
    await counting.close()
    await opened.cleanUp()
  })

  const append = (fixes: readonly [object: number, fix: Fix][]) =>
    counting.append(
      drives.organization,
      fixes.map(([object, fix]) => ({ object, fix })),
      TRACKING,
    )

  it('reads nothing for fixes in order, if no other process has written', async () => {
    const objects = [await drives.add(), await drives.add()]
    const batch = (index: number) =>
      objects.map((object) => [object, DRIVE[index]!] as [number, Fix])
    await append(batch(0))
    assert.equal(counting.reads(), READS_OF_TARGETS)
    await append(batch(1))
    assert.equal(counting.reads(), 0)
    await drives.append(objects[0]!, [DRIVE[2]!])
    await append(batch(3))
    assert.equal(counting.reads(), READS_OF_TARGETS)
  })

  it('reads once for a late fix with few effects, and once for a hundred of other objects', async () => {
    const objects: number[] = []
    for (let index = 0; index < 100; index += 1) objects.push(await drives.add())
    await append(
      objects.flatMap((object) => DRIVE.slice(0, 30).map((fix) => [object, fix] as [number, Fix])),
    )
    counting.reads()
    await append([[objects[0]!, between(10)]])
    assert.equal(counting.reads(), 1)
    await append(objects.slice(1).map((object) => [object, between(10)]))
    assert.equal(counting.reads(), 1)
    for (const object of [objects[1]!, objects[99]!]) await drives.assertAlike(objects[0]!, object)
  })

  it('reads a few more times if a late fix changes the counters of thousands', async () => {
    const object = await drives.add()
    await append(DRIVE.map((fix) => [object, fix]))
    counting.reads()
    const late = { ...between(300), latitude: between(300).latitude + 0.001 }
    await append([[object, late]])
    assert.ok(counting.reads() <= 3)
    const fresh = await drives.add()
    await drives.append(fresh, [...DRIVE, late])
    await drives.assertAlike(object, fresh)
  })

  it('caches nothing of a transaction that failed', async () => {
    const object = await drives.add()
    await append([[object, DRIVE[0]!]])
    const unlucky = DRIVE[5]!
    await counting.database.run(
      statement(`ALTER TABLE positions ADD CONSTRAINT no_luck
        CHECK (object <> ${object} OR time_device <> ${unlucky.timeDevice})`),
    )
    await assert.rejects(append([[object, unlucky]]), { code: '23514' })
    // The number of this change is the one that the failed transaction would have had.
    await drives.append(object, [DRIVE[1]!])
    assert.deepEqual(await append([[object, DRIVE[2]!]]), ['accepted'])
    const fresh = await drives.add()
    await drives.append(fresh, DRIVE.slice(0, 3))
    await drives.assertAlike(object, fresh)
  })

  it('works beside recomputes of several processes', async () => {
    const objects = [await drives.add(), await drives.add(), await drives.add()]
    const stores = [opened.store, await opened.reopen(), await opened.reopen()] as const
    const [first, second] = [DRIVE.slice(0, 1_200), DRIVE.slice(1_200, 1_300)]
    for (const object of objects) await drives.append(object, first)
    const whole = { organization: drives.organization, object: null }
    await stores[0].positions.requestRefold(whole)
    const missing = second.filter((_, index) => index % 5 !== 2)
    const late = second.filter((_, index) => index % 5 === 2)
    await Promise.all([
      ...stores.map((store) => foldOn(store)),
      ...objects.map(async (object) => {
        for (const [index, fix] of late.entries()) {
          const four = missing.slice(4 * index, 4 * index + 4)
          await append(four.map((each) => [object, each]))
          await append([[object, fix]])
        }
      }),
    ])
    await drives.foldOn()
    const fresh = await drives.add()
    await drives.append(fresh, [...first, ...second])
    for (const object of objects) await drives.assertAlike(object, fresh)
    const { count } = opened.store.positions
    assert.equal(await count(drives.organization, objects[0]!, ALL_TIME, 10_000), 1_300)
  })
})

/** On a straight line between two fixes of the drive: it adds no distance. */
function between(index: number): Fix {
  const [a, b] = [DRIVE[index]!, DRIVE[index + 1]!]
  const longitude = (a.longitude + b.longitude) / 2
  return { ...a, timeDevice: (a.timeDevice + b.timeDevice) / 2, longitude }
}

async function foldOn(store: Store): Promise<void> {
  while ((await store.positions.refold(null, TRACKING)) !== null);
}

/** An append with a connection pool of its own that counts its reading statements. */
function countingAppends(url: string) {
  const database: Database = openDatabase(url)
  const announcements = openAnnouncements(url, 0n)
  const writes = organizationWrites(database, announcements, Date.now)
  let count = 0
  const counted = (write: OrganizationWrite): OrganizationWrite => ({
    ...write,
    query(...asked) {
      count += 1
      return write.query(...asked)
    },
  })
  const countedWrites: OrganizationWrites = {
    write: (organization, work) => writes.write(organization, (write) => work(counted(write))),
  }
  const tables = postgresTables(database, countedWrites, announcements, false)
  const { append } = foldStore(tables, FORM, tablesOf)
  return {
    append,
    database,
    /** Since the last call. */
    reads() {
      const reads = count
      count = 0
      return reads
    },
    async close() {
      await announcements.close()
      await database.close()
    },
  }
}
