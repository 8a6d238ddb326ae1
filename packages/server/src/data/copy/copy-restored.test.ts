import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { handedClock } from '../../../testing/handed-clock.ts'
import { withoutPostgres } from '../../../testing/servers/installed.ts'
import { emptyDatabase } from '../../../testing/servers/shared-postgres.ts'
import { assertSameRows, drivesOn, rowsOf } from '../../../testing/store-contract/drives.ts'
import {
  ALL_TIME,
  fixAt,
  foldOn,
  type OpenedStore,
  recordsOf,
} from '../../../testing/store-contract/fixture.ts'
import { packAll } from '../../../testing/stores/packing-store.ts'
import { temporaryStore as postgresStore } from '../../../testing/stores/temporary-postgres-store.ts'
import { temporaryStore as sqliteStore } from '../../../testing/stores/temporary-sqlite-store.ts'
import type { Store } from '../../engine/store/store.ts'
import { foldRules } from '../../engine/tracking/rules/advance.ts'
import { DamagedPositions } from '../../engine/tracking/work.ts'
import { openCopySource, openCopyTarget, openStore, type StoreLocation } from '../../run/compose.ts'
import { copyDeployment } from './copy-deployment.ts'

const NOW = Date.UTC(2026, 4, 7, 12)
const BLOCK = 10
const rules = foldRules(handedClock(NOW * 1000))
const minute = (count: number) => count * 60_000
const driving = (at: number, latitude: number) => fixAt(at, { latitude, speed: 60, ignition: true })
const drive = Array.from({ length: 30 }, (_, index) => driving(minute(index), 30 + index / 200))
const among = driving(minute(15) + 1, 30.076)
const after = driving(minute(19) + 1, 30.096)
const repeated = drive[12]!

type Source = OpenedStore & { at: StoreLocation }

const DIRECTIONS = [
  {
    name: 'a data folder to PostgreSQL',
    async open(t: TestContext): Promise<Source> {
      const opened = await sqliteStore(t)
      return { ...opened, at: { folder: opened.folder } }
    },
    target: async () => ({ database: await emptyDatabase(), allowDataLoss: true }),
  },
  {
    name: 'PostgreSQL to a data folder',
    async open(t: TestContext): Promise<Source> {
      const opened = await postgresStore(t)
      return { ...opened, at: { database: opened.url, allowDataLoss: true } }
    },
    async target(t: TestContext): Promise<StoreLocation> {
      const folder = await mkdtemp(join(tmpdir(), 'fleetgate-copy-'))
      t.after(() => rm(folder, { recursive: true }))
      return { folder: join(folder, 'copy') }
    },
  },
]

describe('A copy of packed positions from', { skip: withoutPostgres }, () => {
  for (const { name, open, target } of DIRECTIONS) {
    it(`${name} refuses a damaged block, and takes the late packets of a restored one`, async (t) => {
      const { store, damageBlock, at } = await open(t)
      const { organization, add, append } = await drivesOn(store, rules)
      const [object, intact] = [await add(), await add()]
      await append(object, drive)
      await packAll(store, organization, BLOCK)
      await damageBlock(minute(10))
      await append(object, [among, after, repeated])
      const to = await target(t)
      await assert.rejects(copied(at, to), DamagedPositions)

      // The same byte again: as restored from a backup.
      await damageBlock(minute(10))
      await append(intact, [...drive, among, after])
      const { differences, sums } = await copied(at, to)
      assert.deepEqual(differences, [])
      assert.equal(sums.get(organization)!.positions!.rows, drive.length * 2 + 4)
      const copy = await openStore(to)
      t.after(() => copy.close())
      for (const each of [store, copy]) {
        await packAll(each, organization, BLOCK)
        await each.positions.requestRefold({ organization, object })
        await foldOn(each, rules)
      }
      const [wanted, ...shown] = await Promise.all([
        historyOf(store, organization, intact),
        historyOf(store, organization, object),
        historyOf(copy, organization, object),
      ])
      for (const rows of shown) assertSameRows(rows, wanted)
    })
  }
})

async function historyOf({ positions }: Store, organization: number, object: number) {
  return rowsOf(await recordsOf(await positions.history(organization, object, ALL_TIME, null)))
}

async function copied(from: StoreLocation, to: StoreLocation) {
  const source = await openCopySource(from, NOW)
  try {
    const target = await openCopyTarget(to, (await source.facts()).secret, NOW)
    const never = new AbortController().signal
    return await copyDeployment(source, target, () => {}, never).finally(target.close)
  } finally {
    await source.close()
  }
}
