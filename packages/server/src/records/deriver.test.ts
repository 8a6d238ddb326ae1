import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { handedClock } from '../../testing/handed-clock.ts'
import { driveOf, drivesOn } from '../../testing/store-contract/drives.ts'
import { NOW, type OpenStore, onStore } from '../../testing/store-contract/fixture.ts'
import { temporaryStore as postgres } from '../../testing/stores/temporary-postgres-store.ts'
import { temporaryStore as sqlite } from '../../testing/stores/temporary-sqlite-store.ts'
import { openChangeWatch } from '../changes/change-watch.ts'
import { systemClock } from '../domain/time/clock.ts'
import { foldRules } from '../fold/rules/fold-rules.ts'
import { type Store, StoreUnavailable } from '../store/store.ts'
import { waitUnlessAborted } from '../upkeep/wait.ts'
import { startDeriver } from './deriver.ts'

const rules = foldRules(handedClock(NOW * 1_000))
const DRIVE = driveOf(40, 100)

type Start = (store: Store, onFailure?: (error: unknown) => void) => Started
type Started = { rows(): number; stop(): Promise<void>; tasks(): number }

/** A test body that may start derivers, which end with it. */
function deriving(
  open: OpenStore,
  body: (store: Store, start: Start, reopen: () => Promise<Store>) => Promise<void>,
): () => Promise<void> {
  return onStore(open, async (store, reopen) => {
    const started: Started[] = []
    try {
      await body(store, (...args) => started[started.push(startOn(...args)) - 1]!, reopen)
    } finally {
      for (const each of started) await each.stop()
    }
  })
}

function startOn(store: Store, onFailure: (error: unknown) => void = fail): Started {
  const changeWatch = openChangeWatch(store, onFailure)
  let rows = 0
  const deriver = startDeriver({
    ...{ store, clock: systemClock, changeWatch, wait: waitUnlessAborted, failed: onFailure },
    derived(count) {
      rows += count
    },
    close: changeWatch.close,
  })
  return { ...deriver, rows: () => rows }
}

function fail(error: unknown): never {
  throw error
}

/** Resolves with the end of the newest trip when it has come to a time. */
async function untilDerived(store: Store, organization: number, until: number): Promise<void> {
  for (;;) {
    const { promise, resolve } = Promise.withResolvers<void>()
    const watch = store.watch(({ topic }) => {
      if (topic === 'records') resolve()
    })
    // Another process of a data folder is noticed when a reader looks.
    const looks = setInterval(() => watch.catchUp(), 20)
    try {
      const [trip] = await tripsOf(store, organization)
      if (trip !== undefined && trip.record.until >= until) return
      await promise
    } finally {
      clearInterval(looks)
      watch.close()
    }
  }
}

function tripsOf(store: Store, organization: number) {
  const range = { from: 0, to: 2 ** 48 }
  const all = { places: null, minDuration: 0, after: null, limit: 9, objects: null }
  return store.records.page(organization, { type: 'trips', range, ...all })
}

const timeOf = (index: number) => DRIVE[index]!.timeDevice

function deriverTests(name: string, open: OpenStore): void {
  describe(`The deriver on ${name}`, () => {
    it(
      'derives what was there, then each packet, one process at a time',
      deriving(open, async (store, start, reopen) => {
        const drives = await drivesOn(store, rules)
        const { organization } = drives
        await store.records.want(organization)
        const object = await drives.add()
        await drives.append(object, DRIVE.slice(0, 10))
        const first = start(store)
        await untilDerived(store, organization, timeOf(9))
        const other = await reopen()
        const second = start(other)
        await drives.append(object, DRIVE.slice(10, 20))
        await untilDerived(store, organization, timeOf(19))
        await first.stop()
        assert.deepEqual([first.rows(), second.rows()], [20, 0])
        await drives.append(object, DRIVE.slice(20, 30))
        await untilDerived(store, organization, timeOf(29))
        await second.stop()
        assert.deepEqual([first.rows(), second.rows()], [20, 10])
        assert.deepEqual(await store.records.due(), [])
      }),
    )

    it(
      'leaves an organization alone whose records nobody asked for',
      deriving(open, async (store, start) => {
        const [unasked, asked] = [await drivesOn(store, rules), await drivesOn(store, rules)]
        await unasked.append(await unasked.add(), DRIVE)
        await asked.append(await asked.add(), DRIVE)
        await store.records.want(asked.organization)
        const deriver = start(store)
        await untilDerived(store, asked.organization, timeOf(39))
        await deriver.stop()
        assert.equal(deriver.rows(), DRIVE.length)
        assert.deepEqual(await tripsOf(store, unasked.organization), [])
      }),
    )

    it(
      'tries again after an outage',
      deriving(open, async (store, start) => {
        const drives = await drivesOn(store, rules)
        await store.records.want(drives.organization)
        await drives.append(await drives.add(), DRIVE)
        const failures: unknown[] = []
        let isDown = true
        const outage: Store = {
          ...store,
          changeLog: {
            ...store.changeLog,
            view(...args: Parameters<Store['changeLog']['view']>) {
              if (!isDown) return store.changeLog.view(...args)
              isDown = false
              return Promise.reject(new StoreUnavailable('down'))
            },
          } as Store['changeLog'],
        }
        const deriver = start(outage, (error) => failures.push(error))
        await untilDerived(store, drives.organization, timeOf(39))
        await deriver.stop()
        assert.ok(failures.length === 1 && failures[0] instanceof StoreUnavailable)
      }),
    )

    it(
      'ends with its organization',
      deriving(open, async (store, start) => {
        const drives = await drivesOn(store, rules)
        await store.records.want(drives.organization)
        await drives.append(await drives.add(), DRIVE)
        start(store)
        await untilDerived(store, drives.organization, timeOf(39))
        await store.organizations.delete(drives.organization)
        const next = await drivesOn(store, rules)
        await next.append(await next.add(), DRIVE)
        await store.records.want(next.organization)
        await untilDerived(store, next.organization, timeOf(39))
      }),
    )
  })
}

deriverTests('SQLite', sqlite)
deriverTests('PostgreSQL', postgres)
