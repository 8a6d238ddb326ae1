import { join } from 'node:path'
import type { Clock } from '../../../packages/server/src/base/domain/time/time.ts'
import { openStore } from '../../../packages/server/src/run/compose.ts'
import {
  databaseLike,
  emptyDatabase,
} from '../../../packages/server/testing/servers/shared-postgres.ts'
import { BLOCK_ROWS, packAll } from '../../../packages/server/testing/stores/packing-store.ts'
import { type Deployment, inFolder } from '../harness/deployment.ts'
import { commandLine } from '../harness/make-fleet.ts'
import { newDeployment } from '../harness/new-deployment.ts'
import { serve } from '../harness/server.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'
import { emptyRedis, forgetWindows } from '../harness/windows.ts'
import { failureLog, openLocalServer } from './local-server.ts'
import type { TrialHost } from './trial-host.ts'

const PROCESSES = ['--processes', '3', '--geocoder', 'off']
/** Fewer than the rate window admits. */
const REQUESTS_AT_ONCE = 9
const REQUEST_EVERY_US = 2_000_000

type Running = { api: string; feed: string; admin: string; stop(): Promise<unknown> }

/** A server of three processes on PostgreSQL and Redis. A copy of it moves to a data folder, and back. */
export async function openServersHost(): Promise<TrialHost> {
  const { jsonHere } = await commandLine()
  let place = await newDeployment()
  const token = ['token', 'issue', '--role', 'operator', ...place.args]
  const operator = { authorization: `Bearer ${(await jsonHere(token)).token}` }
  const { serveArgs } = place
  const failures = failureLog()
  const clock = runningClock()
  let requests = 0
  let server = await start()

  function start(): Promise<Running> {
    const { folder } = place
    if (folder === undefined) return serve(place, PROCESSES)
    return openLocalServer(folder, clock, failures.logger).then(({ close, ...each }) => {
      return { ...each, stop: close }
    })
  }

  /** Stops the server, and starts it on what `work` leaves. */
  async function during(work: () => Promise<Deployment>): Promise<void> {
    await server.stop()
    place = await work()
    server = await start()
  }

  function onDatabase(database: string): Deployment {
    return { args: ['--database', database], serveArgs, folder: undefined, database }
  }

  return {
    get api() {
      return server.api
    },
    get feed() {
      return server.feed
    },
    get admin() {
      return server.admin
    },
    operator,
    now: () => Date.now(),
    async admit(organization) {
      clock.advanceUs(REQUEST_EVERY_US)
      requests += 1
      if (requests % REQUESTS_AT_ONCE === 0) await forgetWindows(place, [organization])
    },
    letPass: () => undefined,
    fold: async () => undefined,
    derive: async () => undefined,
    purge: async () => false,
    async pack(organization) {
      const { database, folder } = place
      const store = await openStore(
        database === undefined ? { folder: folder! } : { database, allowDataLoss: true },
      )
      await packAll(store, organization, BLOCK_ROWS).finally(store.close)
    },
    restart: () => during(async () => place),
    async backUp() {
      let copy = ''
      await during(async () => {
        const { database } = place
        if (database === undefined) {
          copy = join(temporaryFolder(), 'backup')
          await jsonHere(['backup', ...place.args, copy])
        } else copy = await databaseLike(database)
        return place
      })
      return { place: copy }
    },
    restore: ({ place: copy }) =>
      during(async () => {
        await emptyRedis(place)
        return copy.startsWith('postgres') ? onDatabase(copy) : inFolder(copy)
      }),
    move: () =>
      during(async () => {
        const isInFolder = place.database === undefined
        const to = isInFolder ? await emptyDatabase() : join(temporaryFolder(), 'moved')
        const from = place.database ?? place.folder!
        await emptyRedis(place)
        await jsonHere(['copy', '--from', from, '--to', to, '--quiet'])
        return isInFolder ? onDatabase(to) : inFolder(to)
      }),
    failures: failures.taken,
    close: async () => void (await server.stop()),
  }
}

/** The real time. A trial can hand on the monotonic one, so that its rate window never fills. */
function runningClock(): Clock & { advanceUs(us: number): void } {
  let ahead = 0
  return {
    now: () => Date.now(),
    monotonic: () => Math.floor(performance.now() * 1_000) + ahead,
    advanceUs(us) {
      ahead += us
    },
  }
}
