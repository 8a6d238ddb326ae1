import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import { handedClock } from '../../../testing/handed-clock.ts'
import {
  ALL_TIME,
  fixAt,
  idOf,
  NOW,
  objectSettings,
  recordsOf,
} from '../../../testing/store-contract/fixture.ts'
import type { Fix } from '../../domain/position/fix.ts'
import { HOUR_MS, MICRO, packFix } from '../../domain/position/fix-record.ts'
import { foldRules } from '../../fold/rules/fold-rules.ts'
import type { Store } from '../store.ts'
import { firstTables } from './migrations/0001-first-tables.ts'
import { feed } from './migrations/0002-feed.ts'
import { openSqliteStore } from './open.ts'

const TRACKING = foldRules(handedClock(NOW * 1_000))
const ORGANIZATION = 5
const [SYSTEM, SENSOR, UNHEARD] = [7, 8, 9]

describe('Data from before the first fold', () => {
  it('shows its positions unchanged until they are folded', async () => {
    await onOldData(async (store) => {
      const fixes = Buffer.concat(DRIVE.map((fix) => packFix(fix, countersOf(fix))))
      assert.deepEqual(await historyOf(store, SENSOR), fixes)
      const states = await store.positions.states(ORGANIZATION)
      assert.deepEqual([...states.keys()], [SYSTEM, SENSOR, UNHEARD])
      const { lastFix, fold, ...state } = states.get(SENSOR)!
      assert.deepEqual(lastFix, { ...LAST, odometer: null, engineHours: null })
      assert.deepEqual(
        [fold?.odometer, fold?.mileage],
        [Math.round(LAST.odometer! * MICRO), 3_000_000],
      )
      assert.equal(fold?.engineHours, Math.round(LAST.engineHours! * HOUR_MS))
      assert.deepEqual(state, {
        timeServer: NOW,
        timeLastIdle: null,
        timeLastMove: LAST.timeDevice,
        timeLastStop: DRIVE[0]!.timeDevice,
        address: { value: 'Calle 1', at: DRIVE[3]!.timeDevice },
      })
      assert.deepEqual(states.get(UNHEARD), {
        ...{ lastFix: null, fold: null, address: null },
        ...{ timeServer: NOW, timeLastIdle: null, timeLastMove: null, timeLastStop: null },
      })
    })
  })

  it('folds as if it arrived now, including later additions', async () => {
    await onOldData(async (store) => {
      const late = { ...DRIVE[4]!, timeDevice: DRIVE[4]!.timeDevice + 1_000 }
      const next = { ...DRIVE[0]!, timeDevice: LAST.timeDevice + 60_000 }
      for (const object of [SYSTEM, SENSOR]) {
        const fresh = await twinOf(store, object)
        await give(store, object, [next, late])
        await give(store, fresh, [...DRIVE, next, late])
      }
      let positions = 0
      for (;;) {
        const done = await store.positions.refold(null, TRACKING)
        if (done === null) break
        positions += done.positions
      }
      assert.ok(positions >= 2 * DRIVE.length, `${positions} were folded`)
      for (const object of [SYSTEM, SENSOR]) await assertLikeTwin(store, object)
    })
  })

  it('has a state from its content, even if the last of its times were invalid', async () => {
    await onOldData(async (store) => {
      const fresh = await twinOf(store, SYSTEM)
      await give(store, fresh, DRIVE)
      while ((await store.positions.refold(null, TRACKING)) !== null);
      await assertLikeTwin(store, SYSTEM)
      const state = (await store.positions.states(ORGANIZATION)).get(SYSTEM)
      // No vehicle has the last speed, though an earlier version accepted it.
      assert.equal(state?.timeLastMove, DRIVE.at(-2)!.timeDevice)
    })
  })
})

const START = NOW - 86_400_000
const DRIVE: Fix[] = Array.from({ length: 1_200 }, (_, index) =>
  fixAt(START + index * 10_000, {
    longitude: -97.75 + index / 1_000,
    speed: index === 0 ? 0 : index === 1_199 ? 410 : 36,
    odometer: 500 + index / 10,
    engineHours: 20 + index / 100,
    address: index === 3 ? 'Calle 1' : null,
    ignition: index === 0 ? false : null,
  }),
)
const LAST = DRIVE.at(-1)!

/** The stored counters of a fix: the device's own. */
function countersOf({ odometer, engineHours }: Fix) {
  return {
    odometer: Math.round(odometer! * MICRO),
    mileage: null,
    engineHours: Math.round(engineHours! * HOUR_MS),
  }
}

/** A store on a folder of version 2, in which three objects reported, one of them without a position. */
async function onOldData(body: (store: Store) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'fleetgate-older-'))
  try {
    writeOldData(join(folder, 'fleetgate.db'))
    const store = await openSqliteStore(folder)
    try {
      await body(store)
    } finally {
      await store.close()
    }
  } finally {
    await rm(folder, { recursive: true })
  }
}

function writeOldData(file: string): void {
  const database = new DatabaseSync(file)
  firstTables(database)
  feed(database)
  database.exec(`
    PRAGMA user_version = 2;
    BEGIN;
    INSERT INTO organizations VALUES (${ORGANIZATION}, 'Old', 'km', 'en', 'active', NULL, 1, 2, 0, NULL);
  `)
  const { accuracy } = objectSettings('')
  const putObject = database.prepare(`
    INSERT INTO objects VALUES
      (?, ${ORGANIZATION}, 'Van', ?, NULL, NULL, ?, ?, ?, NULL, NULL, NULL, NULL, 1, 2, 0)
  `)
  const putState = database.prepare(`
    INSERT INTO object_states (organization, object, last_fix, time_server, time_last_move,
      time_last_stop, engine_hours, odometer, mileage, address, address_at)
    VALUES (${ORGANIZATION}, ?, ?, ${NOW}, ?, ?, ?, ?, ?, ?, ?)
  `)
  const putPosition = database.prepare(`INSERT INTO positions VALUES (${ORGANIZATION}, ?, ?, 0, ?)`)
  for (const id of [SYSTEM, SENSOR, UNHEARD]) {
    const type = id === SENSOR ? 'sensor' : 'system'
    putObject.run(id, `${id}`, type, type, JSON.stringify(accuracy))
  }
  putState.run(UNHEARD, null, null, null, null, null, null, null, null)
  for (const id of [SYSTEM, SENSOR]) {
    const last = packFix(LAST, countersOf(LAST))
    const times = [LAST.timeDevice, DRIVE[0]!.timeDevice]
    const counters = [LAST.engineHours, LAST.odometer, 3]
    putState.run(id, last, ...times, ...counters, 'Calle 1', DRIVE[3]!.timeDevice)
    for (const fix of DRIVE) putPosition.run(id, fix.timeDevice, packFix(fix, countersOf(fix)))
  }
  database.exec('COMMIT')
  database.close()
}

function give(store: Store, object: number, fixes: Fix[]) {
  const batch = fixes.map((fix) => ({ object, fix }))
  return store.positions.append(ORGANIZATION, batch, TRACKING)
}

/** A new object with the same settings. */
async function twinOf(store: Store, object: number): Promise<number> {
  const { odometerType, engineHoursType } = (await store.objects.find(ORGANIZATION, object))!
  const settings = objectSettings(`twin of ${object}`, { odometerType, engineHoursType })
  return idOf((await store.objects.put(ORGANIZATION, [settings], NOW))[0])
}

async function assertLikeTwin(store: Store, object: number): Promise<void> {
  const objects = await store.objects.list(ORGANIZATION)
  const twin = objects.find(({ ident }) => ident === `twin of ${object}`)!.id
  assert.deepEqual(await historyOf(store, object), await historyOf(store, twin))
  const states = await store.positions.states(ORGANIZATION, [object, twin])
  assert.deepEqual(states.get(object), states.get(twin))
}

async function historyOf(store: Store, object: number): Promise<Buffer> {
  return recordsOf(await store.positions.history(ORGANIZATION, object, ALL_TIME, null))
}
