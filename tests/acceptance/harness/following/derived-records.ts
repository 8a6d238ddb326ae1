import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import type { Store } from '../../../../packages/server/src/engine/store/store.ts'
import { distanceMetres } from '../../../../packages/server/src/engine/tracking/rules/geodesic.ts'
import { openStore } from '../../../../packages/server/src/run/compose.ts'
import {
  type PlainPlace,
  plainRecords,
  sorted,
} from '../../../../packages/server/testing/records/plain-records.ts'
import type { Deployment } from '../deployment.ts'

/** A site on the circle that the trackers drive. */
const SITE = {
  ...{ name: 'Markers', description: null, icon: null },
  ...{ latitude: 41, longitude: 2.05, radius: 2_000 },
}
const ALWAYS = { from: 0, to: 2 ** 48 }
const EVERY_ROW = 10_000_000
const MANY = 1_000
const LOOK_MS = 20

/** Adds a place that the trackers visit, and asks for the records of an organization. */
export async function wantRecords(deployment: Deployment, organization: number): Promise<void> {
  const store = await opened(deployment)
  await store.sites.put(organization, [SITE], Date.now())
  await store.records.want(organization)
  await store.close()
}

/**
 * Waits until a running server has derived everything, and compares the records with those of the sorted
 * positions. Returns their number.
 */
export async function assertRecords(deployment: Deployment, organization: number): Promise<number> {
  const store = await opened(deployment)
  try {
    await untilDerived(store, organization)
    const compared = await store.changeLog.view(organization, async (view) => {
      const sites = await view.itemsAfter('sites', 0, MANY)
      const places = sites.map(
        ({ id, latitude, longitude, radius }): PlainPlace => ({
          ...{ placeType: 'site', place: id },
          contains: (lat, lon) => distanceMetres(latitude, longitude, lat, lon) <= radius!,
        }),
      )
      let count = 0
      for (const { id } of await view.itemsAfter('objects', 0, MANY)) {
        const plain = plainRecords(await view.rows(id, -1, EVERY_ROW), places)
        const derived = (await view.recordsIn(id, ALWAYS)).map(({ record }) => record)
        assert.deepEqual(sorted(derived), sorted(plain))
        count += derived.length
      }
      return count
    })
    assert.ok(compared! > 0)
    return compared!
  } finally {
    await store.close()
  }
}

function opened({ folder, database }: Deployment): Promise<Store> {
  return openStore(folder === undefined ? { database: database! } : { folder })
}

/** Resolves at a look at which no change and no task is left. A slice without a record changes nothing else. */
async function untilDerived(store: Store, organization: number): Promise<void> {
  while ((await store.records.due()).includes(organization)) await wait(LOOK_MS)
}
