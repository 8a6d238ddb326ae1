import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { handedClock } from '../../../testing/handed-clock.ts'
import { hugeRing } from '../../../testing/huge-ring.ts'
import { plainRecords, sorted } from '../../../testing/records/plain-records.ts'
import { repeatedViews } from '../../../testing/repeated-views.ts'
import { withoutPostgres } from '../../../testing/servers/installed.ts'
import { driveOf, drivesOn, keptApart } from '../../../testing/store-contract/drives.ts'
import {
  fixAt,
  idOf,
  NOW,
  type OpenStore,
  objectSettings,
  onStore,
} from '../../../testing/store-contract/fixture.ts'
import { temporaryStore as postgres } from '../../../testing/stores/temporary-postgres-store.ts'
import { temporaryStore as sqlite } from '../../../testing/stores/temporary-sqlite-store.ts'
import type { RecordType } from '../../base/domain/item-rules.ts'
import type { LonLat } from '../../base/domain/places/place.ts'
import type { Trip, Visit } from '../../base/domain/record.ts'
import { systemClock } from '../../base/domain/time/time.ts'
import { ChangeWatch } from '../changes/change-watch.ts'
import { waitUnlessAborted } from '../repeat.ts'
import type { OwnedRecord, RecordTask } from '../store/record-store.ts'
import { type Store, StoreUnavailable } from '../store/store.ts'
import { foldRules } from '../tracking/rules/advance.ts'
import { Deriver } from './deriver.ts'

const rules = foldRules(handedClock(NOW * 1_000))
const DRIVE = driveOf(40, 100)

type Start = (store: Store, onFailure?: (error: unknown) => void) => Started
type Started = {
  rows(): number
  stop(): Promise<void>
  tasks(): number
  failures(): number
  /** The tasks that failed for the first time. */
  failed: RecordTask[]
  /** Resolves when the first task fails. */
  failing: Promise<void>
}

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
  const changeWatch = new ChangeWatch(store, onFailure)
  let rows = 0
  const failed: RecordTask[] = []
  const { promise: failing, resolve } = Promise.withResolvers<void>()
  const deriver = new Deriver({
    ...{ store, clock: systemClock, changeWatch, wait: waitUnlessAborted, failed: onFailure },
    failedTask(_, task) {
      failed.push(task)
      resolve()
    },
    derived(count) {
      rows += count
    },
  })
  const stop = async () => {
    await deriver.stop()
    changeWatch.close()
  }
  return {
    stop,
    tasks: () => deriver.tasks(),
    failures: () => deriver.failures(),
    rows: () => rows,
    failed,
    failing,
  }
}

function fail(error: unknown): never {
  throw error
}

/** Resolves when a trip has come to a time. */
function untilDerived(store: Store, organization: number, until: number): Promise<void> {
  return untilTrips(store, organization, (trips) =>
    trips.some(({ record }) => record.until >= until),
  )
}

function untilTrips(
  store: Store,
  organization: number,
  holds: (trips: OwnedRecord[]) => boolean,
): Promise<void> {
  return untilTrue(store, async () => holds(await tripsOf(store, organization)))
}

/** Looks again after each change of records. */
async function untilTrue(store: Store, holds: () => Promise<boolean>): Promise<void> {
  for (;;) {
    const { promise, resolve } = Promise.withResolvers<void>()
    const watch = store.watch(({ topic }) => {
      if (topic === 'records') resolve()
    })
    // Another process of a data folder is noticed when a reader looks.
    const looks = setInterval(() => lookAt(watch), 20)
    try {
      if (await holds()) return
      await promise
    } finally {
      clearInterval(looks)
      watch.close()
    }
  }
}

/** On a busy machine, a database may be silent for a moment. The next look finds what changed meanwhile. */
function lookAt(watch: ReturnType<Store['watch']>): void {
  try {
    watch.catchUp()
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
  }
}

function tripsOf(store: Store, organization: number) {
  return recordsOf(store, organization, 'trips')
}

function recordsOf(store: Store, organization: number, type: RecordType) {
  const range = { from: 0, to: 2 ** 48 }
  const all = { places: null, minDuration: 0, after: null, limit: 9, objects: null }
  return store.records.page(organization, { type, range, ...all })
}

/** Checks the records of an object by their definition. */
async function assertPlain(store: Store, organization: number, object: number): Promise<void> {
  const isCompared = await store.changeLog.view(organization, async (view) => {
    const plain = plainRecords(await view.rows(object, -1, 10_000), [])
    const derived = await view.recordsIn(object, { from: 0, to: 2 ** 48 })
    assert.deepEqual(sorted(derived.map(({ record }) => record)), sorted(plain))
    return true
  })
  assert.ok(isCompared)
}

const GEOFENCE = { name: 'Depot', description: null, color: null }
const AROUND: LonLat[] = [
  [-98.75, 29.25],
  [-96.75, 29.25],
  [-96.75, 31.25],
  [-98.75, 31.25],
]

/** Stores geofences without a check. Returns their ids. */
async function placed(store: Store, organization: number, rings: LonLat[][]): Promise<number[]> {
  const entries = rings.map((coordinates, index) => ({
    ...GEOFENCE,
    name: `Depot ${index}`,
    coordinates,
  }))
  const outcomes = await store.geofences.put(organization, entries, NOW)
  return outcomes.map((outcome) => idOf(outcome))
}

async function visitedPlaces(store: Store, organization: number): Promise<number[]> {
  const visits = await recordsOf(store, organization, 'visits')
  return visits.map(({ record }) => (record as Visit).place).sort((a, b) => a - b)
}

const objectOf = ({ object }: OwnedRecord) => object

/** A store with a fault in the rows of an object. */
function unreadable(store: Store, object: number, tries: { count: number }): Store {
  const fail = () => {
    tries.count += 1
    return Promise.reject(new RangeError('a fault'))
  }
  const view: Store['changeLog']['view'] = (organization, read) =>
    store.changeLog.view(organization, (sound) =>
      read({
        ...sound,
        rows: (of, ...rest) => (of === object ? fail() : sound.rows(of, ...rest)),
      }),
    )
  return { ...store, changeLog: { ...store.changeLog, view } }
}

/** A store that cannot write the records of an object. */
function unwritable(store: Store, object: number, tries: { count: number }): Store {
  const apply: Store['records']['apply'] = (organization, holder, work) => {
    if (!work.objects.some((each) => each.object === object)) {
      return store.records.apply(organization, holder, work)
    }
    if (work.objects.length === 1) tries.count += 1
    return Promise.reject(new RangeError('a fault'))
  }
  return { ...store, records: { ...store.records, apply } }
}

/** Outages of a part of a store. */
const OUTAGES: [name: string, outage: (store: Store) => Store][] = [
  [
    'derives what is due while it cannot be read who has asked',
    (store) => {
      const wanted = () => Promise.reject(new StoreUnavailable('a worker is down'))
      return { ...store, records: { ...store.records, wanted } }
    },
  ],
  [
    'tries again after an outage',
    (store) => {
      let isDown = true
      const view: Store['changeLog']['view'] = (...args) => {
        if (!isDown) return store.changeLog.view(...args)
        isDown = false
        return Promise.reject(new StoreUnavailable('down'))
      }
      return { ...store, changeLog: { ...store.changeLog, view } }
    },
  ],
]

/** Drives of an organization whose records are wanted. */
async function wantedDrives(store: Store) {
  const drives = await drivesOn(store, rules)
  await store.records.want(drives.organization)
  return { drives, organization: drives.organization }
}

const distanceOf = ({ record }: OwnedRecord) => (record as Trip).distance!
const timeOf = (index: number) => DRIVE[index]!.timeDevice

function deriverTests(name: string, open: OpenStore, skip: string | false = false): void {
  describe(`The deriver on ${name}`, { skip }, () => {
    it(
      'derives what was there, then each packet, one process at a time',
      deriving(open, async (store, start, reopen) => {
        const { drives, organization } = await wantedDrives(store)
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
      'begins anew with an object that comes back under its id',
      deriving(open, async (store, start) => {
        const { drives, organization } = await wantedDrives(store)
        const [object, other] = [await drives.add(), await drives.add()]
        await drives.append(object, DRIVE.slice(0, 20))
        const deriver = start(store)
        await untilDerived(store, organization, timeOf(19))
        await store.objects.delete(organization, object)
        // The other one's packets keep the deriver busy, so that it keeps what it knows.
        await drives.append(other, DRIVE.slice(0, 30))
        await untilDerived(store, organization, timeOf(29))
        await store.objects.put(organization, [{ ...objectSettings('back'), id: object }], NOW)
        await drives.append(object, DRIVE.slice(25, 35))
        await untilDerived(store, organization, timeOf(34))
        await deriver.stop()
        await assertPlain(store, organization, object)
        assert.equal((await tripsOf(store, organization))[0]!.record.start, timeOf(25))
      }),
    )

    it(
      'derives once what a view had read that failed',
      deriving(open, async (store, start) => {
        const { drives, organization } = await wantedDrives(store)
        const object = await drives.add()
        // After that many rows, the counters are shifted.
        const drive = driveOf(200, 100)
        const { timeDevice, longitude } = drive[99]!
        const stood = Array.from({ length: 10 }, (_, minute) =>
          fixAt(timeDevice + (minute + 1) * 60_000, { longitude, speed: 0 }),
        )
        const later = drive.slice(100).map((fix) => ({
          ...fix,
          timeDevice: fix.timeDevice + 700_000,
        }))
        await drives.append(object, [...drive.slice(0, 100), ...stood, ...later.slice(0, 50)])
        let isFailing = true
        const twice = { ...store, changeLog: repeatedViews(store.changeLog, () => isFailing) }
        const deriver = start(twice)
        await untilDerived(store, organization, later[49]!.timeDevice)
        const late = { ...drive[4]!, timeDevice: drive[4]!.timeDevice + 5_000, latitude: 30.251 }
        const [before] = await tripsOf(store, organization)
        await drives.append(object, [late])
        await untilTrips(store, organization, ([trip]) => distanceOf(trip!) > distanceOf(before!))
        isFailing = false
        await drives.append(object, [later[50]!])
        await untilDerived(store, organization, later[50]!.timeDevice)
        await deriver.stop()
        await assertPlain(store, organization, object)
      }),
    )

    it(
      'derives an object that is folded again in slices once, at the end',
      deriving(open, async (store, start) => {
        const { drives, organization } = await wantedDrives(store)
        const [object, other] = [await drives.add(), await drives.add()]
        // More than the first slice takes. Chords of 300 m are shorter than the way.
        const zigzag = driveOf(5_300, 100).map((fix, index) => {
          return { ...fix, latitude: fix.latitude + (index % 2) * 0.0005 }
        })
        await drives.append(object, zigzag)
        await drives.append(other, DRIVE.slice(0, 10))
        const deriver = start(store)
        await untilDerived(store, organization, zigzag.at(-1)!.timeDevice)
        const [long] = await tripsOf(store, organization)
        await store.objects.put(organization, [objectSettings('1', keptApart(300))], NOW)
        await store.positions.requestRefold({ organization, object })
        assert.equal((await store.positions.refold(null, rules))?.finished, false)
        await drives.append(other, DRIVE.slice(10, 20))
        await untilTrips(store, organization, (trips) =>
          trips.some((trip) => trip.object === other && trip.record.until === timeOf(19)),
        )
        assert.equal(distanceOf((await tripsOf(store, organization))[0]!), distanceOf(long!))
        await drives.foldOn()
        await untilTrips(store, organization, ([trip]) => distanceOf(trip!) < distanceOf(long!))
        await deriver.stop()
        assert.equal(deriver.rows(), 2 * zigzag.length + 20)
        await assertPlain(store, organization, object)
      }),
    )

    for (const [name, outage] of OUTAGES) {
      it(
        name,
        deriving(open, async (store, start) => {
          const { drives, organization } = await wantedDrives(store)
          await drives.append(await drives.add(), DRIVE)
          const failures: unknown[] = []
          const deriver = start(outage(store), (error) => failures.push(error))
          await untilDerived(store, organization, timeOf(39))
          await deriver.stop()
          assert.ok(failures.length > 0)
          assert.ok(failures.every((error) => error instanceof StoreUnavailable))
        }),
      )
    }

    it(
      'derives the visits to a geofence of 150,002 vertices',
      deriving(open, async (store, start) => {
        const { drives, organization } = await wantedDrives(store)
        const object = await drives.add()
        // Around the drive, which begins at 97.75 degrees west.
        const around = hugeRing(150_002).map(([x, y]): LonLat => [x - 107.75, y - 19.75])
        const [geofence] = await placed(store, organization, [around])
        await drives.append(object, DRIVE)
        // On a busy machine, a connection may be found silent while the ring is read.
        const deriver = start(store, (error) => assert.ok(error instanceof StoreUnavailable))
        await untilDerived(store, organization, timeOf(39))
        await deriver.stop()
        assert.deepEqual(await visitedPlaces(store, organization), [geofence])
        assert.deepEqual([deriver.failures(), deriver.failed], [0, []])
      }),
    )

    it(
      'leaves out a geofence with a fault until it is edited, and derives everything else',
      deriving(open, async (store, start) => {
        const { drives, organization } = await wantedDrives(store)
        const object = await drives.add()
        const [broken, sound] = await placed(store, organization, [[], AROUND])
        await drives.append(object, DRIVE.slice(0, 20))
        const first = start(store)
        await untilDerived(store, organization, timeOf(19))
        await drives.append(object, DRIVE.slice(20, 30))
        await untilDerived(store, organization, timeOf(29))
        await first.failing
        assert.equal(first.failures(), 1)
        assert.deepEqual(
          first.failed.map(({ kind, id, error }) => [kind, id, error?.slice(0, 9)]),
          [['geofence', broken, 'TypeError']],
        )
        assert.deepEqual(await visitedPlaces(store, organization), [sound])
        const { seq } = (await store.records.progress([organization])).get(organization)!
        await first.stop()
        // Another process tries at once, and finds the same fault.
        const second = start(store)
        await drives.append(object, DRIVE.slice(30, 35))
        await untilDerived(store, organization, timeOf(34))
        await second.failing
        assert.equal(second.failures(), 1)
        assert.ok((await store.records.progress([organization])).get(organization)!.seq > seq)
        const entry = { ...GEOFENCE, id: broken!, coordinates: AROUND }
        await store.geofences.put(organization, [entry], NOW)
        await untilTrue(store, async () => {
          const visited = await visitedPlaces(store, organization)
          return visited.includes(broken!)
        })
        assert.deepEqual(await visitedPlaces(store, organization), [broken, sound])
        await second.stop()
        assert.deepEqual(await store.records.due(), [])
      }),
    )

    for (const [fault, faulty] of [
      ['read', unreadable],
      ['written', unwritable],
    ] as const) {
      it(
        `derives the other objects if one cannot be ${fault}, and that one later`,
        deriving(open, async (store, start) => {
          const { drives, organization } = await wantedDrives(store)
          const [bad, good] = [await drives.add(), await drives.add()]
          await drives.append(bad, DRIVE.slice(0, 20))
          await drives.append(good, DRIVE.slice(0, 20))
          const tries = { count: 0 }
          const first = start(faulty(store, bad, tries))
          await untilDerived(store, organization, timeOf(19))
          for (const [from, to] of [
            [20, 25],
            [25, 30],
          ] as const) {
            await drives.append(bad, DRIVE.slice(from, to))
            await drives.append(good, DRIVE.slice(from, to))
            await untilDerived(store, organization, timeOf(to - 1))
          }
          await first.stop()
          assert.deepEqual(
            first.failed.map(({ kind, id, error }) => [kind, id, error]),
            [['object', bad, 'RangeError: a fault']],
          )
          assert.equal(tries.count, 1)
          assert.deepEqual(
            new Set((await tripsOf(store, organization)).map(objectOf)),
            new Set([good]),
          )
          await assertPlain(store, organization, good)
          // The fault is gone with the next process, as after an upgrade.
          const second = start(store)
          await untilTrue(store, async () =>
            (await tripsOf(store, organization)).some(
              (trip) => objectOf(trip) === bad && trip.record.until >= timeOf(29),
            ),
          )
          await second.stop()
          await assertPlain(store, organization, bad)
          assert.deepEqual(await store.records.due(), [])
        }),
      )
    }

    it(
      'ends with its organization',
      deriving(open, async (store, start) => {
        const { drives, organization } = await wantedDrives(store)
        await drives.append(await drives.add(), DRIVE)
        start(store)
        await untilDerived(store, organization, timeOf(39))
        await store.organizations.delete(organization)
        const next = await wantedDrives(store)
        await next.drives.append(await next.drives.add(), DRIVE)
        await untilDerived(store, next.organization, timeOf(39))
      }),
    )
  })
}

deriverTests('SQLite', sqlite)
deriverTests('PostgreSQL', postgres, withoutPostgres)
