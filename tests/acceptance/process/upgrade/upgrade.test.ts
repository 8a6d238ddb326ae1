import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { Store } from '../../../../packages/server/src/engine/store/store.ts'
import { openStore, storeStatus } from '../../../../packages/server/src/run/compose.ts'
import { jsonHere } from '../../../../packages/server/testing/command-line/run-here.ts'
import { objectSettings } from '../../../../packages/server/testing/store-contract/fixture.ts'
import { followedLog } from '../../../../packages/server/testing/store-contract/followed-log.ts'
import { request } from '../../harness/client.ts'
import { KIND } from '../../harness/deployment.ts'
import { assertIntegrity } from '../../harness/integrity.ts'
import { postRows } from '../../harness/sender.ts'
import { type ServerProcess, serve } from '../../harness/server.ts'
import { assertAlike } from './alike.ts'
import { type Earlier, earlierFleet, rowsOf } from './earlier-fleet.ts'

/** `KILLS=10` for more of them. */
const KILLS = Number(process.env.KILLS ?? 2)
/** The longest time before a kill. */
const LOAD_MS = 150
const LOOK_MS = 50
const CHANGES_AT_ONCE = 10

const skip =
  KIND === 'embedded' || KIND === 'postgres-redis' ? false : 'it was stored without a cluster'

/** A fraction that differs between kills and is the same in every run (golden ratio). */
const spread = (kill: number) => ((kill + 1) * 0.618_033_988_7) % 1

describe('Data of a version with other rules of movement', { skip }, () => {
  it(`is what an import makes of the same packets, killed ${KILLS} times under packets, and so is a copy by the change log`, async () => {
    const earlier = await earlierFleet()
    assert.equal((await storeStatus(earlier.location)).version, 1)
    const start = () => serve(earlier.deployment, ['--geocoder', 'off'])
    let server = await start()
    const store = await openStore(earlier.location)
    try {
      const followed = followedLog(store, earlier.organization)
      const token = await newToken(earlier, earlier.organization)
      const parts = partsOf(rowsOf(earlier, 'live'), KILLS + 1)
      for (const [kill, rows] of parts.entries()) {
        const posted = postRows(server.feed, token, rows).catch(() => null)
        await followed.follow(CHANGES_AT_ONCE)
        if (kill === KILLS) break
        await wait(spread(kill) * LOAD_MS)
        await server.kill()
        await posted
        server = await start()
      }
      // A tracker sends again what was not acknowledged.
      await postRows(server.feed, token, rowsOf(earlier, 'live'))
      const fresh = await imported(earlier, store, server)
      await untilFolded(earlier, store, fresh)
      const { text: metrics } = await request(server.admin, '/metrics')
      assert.match(metrics, /^fleetgate_recompute_objects 0$/m)
      await assertAlike(store, server, await keysOf(earlier, [earlier.organization, fresh]))
      for (const { id } of await store.objects.list(earlier.organization)) {
        await followed.assertEqual(id, CHANGES_AT_ONCE)
      }
    } finally {
      await store.close()
      await server.kill()
    }
    assertIntegrity(earlier.deployment)
  })
})

function partsOf<Row>(rows: readonly Row[], count: number): Row[][] {
  const size = Math.ceil(rows.length / count)
  return Array.from({ length: count }, (_, at) => rows.slice(at * size, (at + 1) * size))
}

async function newToken({ deployment }: Earlier, organization: number): Promise<string> {
  const issue = ['feed-token', 'issue', '--org', `${organization}`, '--name', 'upgrade']
  return (await jsonHere([...issue, ...deployment.args])).token
}

async function keysOf(
  { deployment }: Earlier,
  organizations: readonly number[],
): Promise<Map<number, string>> {
  const keys = new Map<number, string>()
  for (const id of organizations) {
    const issue = ['key', 'issue', '--org', `${id}`, '--name', 'upgrade', ...deployment.args]
    keys.set(id, (await jsonHere(issue)).key)
  }
  return keys
}

/** A new organization that gets all of the packets, in order. Returns its id. */
async function imported(earlier: Earlier, store: Store, server: ServerProcess): Promise<number> {
  const { deployment, files } = earlier
  const run = (...args: string[]) => jsonHere([...args, ...deployment.args])
  const { id } = await run('org', 'create', '--name', 'Imported', '--maximum-age', '36500')
  const objects = earlier.trackers.map(({ ident }) => objectSettings(ident, { name: ident }))
  await store.objects.put(id, objects, Date.now())
  for (const [kind, file] of Object.entries(files))
    await run('import', kind, '--org', `${id}`, file)
  await postRows(server.feed, await newToken(earlier, id), rowsOf(earlier, 'all'))
  return id
}

/** Resolves when all is folded and derived. */
async function untilFolded({ location }: Earlier, store: Store, fresh: number): Promise<void> {
  await store.records.want(fresh)
  const isLeft = async () => {
    const { contents } = await storeStatus(location)
    return contents!.objectsToRecompute > 0 || (await store.records.due()).length > 0
  }
  while (await isLeft()) await wait(LOOK_MS)
}
