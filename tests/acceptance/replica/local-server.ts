import type { Clock } from '../../../packages/server/src/base/domain/time/time.ts'
import type { Logger } from '../../../packages/server/src/base/http/listener-log.ts'
import type { Page } from '../../../packages/server/src/engine/changes/page.ts'
import type { Store } from '../../../packages/server/src/engine/store/store.ts'
import { listenAdmin } from '../../../packages/server/src/faces/admin/admin-listener.ts'
import { openDeployment } from '../../../packages/server/src/run/compose.ts'
import { addressLimits } from '../../../packages/server/src/run/listeners.ts'
import { originOf } from '../../../packages/server/src/run/serve/listener-addresses.ts'
import { serve } from '../../../packages/server/src/run/serve.ts'
import type { Fault } from './faults.ts'

/** A server of this process on a data folder, with its three listeners. */
export type LocalServer = {
  readonly folder: string
  readonly api: string
  readonly feed: string
  readonly admin: string
  readonly store: Store
  close(): Promise<void>
}

export const CHANGES_DAYS = 30
const SETTINGS = {
  roles: ['api', 'feed', 'admin'],
  ...{ host: '127.0.0.1', port: 0, feedPort: 0, tls: undefined, trustedProxies: [] },
  maxConnectionsPerAddress: 0,
  historyLimits: { maxHistoryRows: null, maxHistoryDays: null },
  ...{ maxStreams: 100, changesDays: CHANGES_DAYS, apiUrl: '', contact: null },
  ...{ webhookNetworks: [], signOn: null },
  about: () => ({
    ...{ version: '', apiUrl: null, feedUrl: null, consoleUrl: null },
    ...{ tiles: null, tilesAttribution: null },
  }),
} satisfies Parameters<typeof serve>[0]

/**
 * Composes the parts as `fleetgate serve` does. Background work happens only when a trial does it, so that a seed
 * always does the same.
 */
export async function openLocalServer(
  folder: string,
  clock: Clock,
  logger: Logger,
  fault: Fault = {},
): Promise<LocalServer> {
  const deployment = await openDeployment({ folder }, clock, logger)
  const { store } = deployment
  const parts = { ...deployment, store: withoutUpkeep(faulty(store, fault)) }
  const server = await serve(SETTINGS, { ...parts, geocoder: null, clock, logger })
  const limits = { ...addressLimits(0, []), inAll: Infinity, ...server.logOf('admin') }
  const admin = await listenAdmin(
    server,
    { api: server.admin!, files: null },
    { host: SETTINGS.host, port: 0, consoleUrl: null },
    limits,
  )
  return {
    ...{ folder, store },
    api: originOf(server.api!, false),
    feed: originOf(server.feed!, false),
    admin: originOf(admin.address, false),
    async close() {
      await server.drain()
      await server.stop()
      await admin.close()
      await deployment.close()
    },
  }
}

/** A logger that keeps failures alone. */
export function failureLog(): { logger: Logger; taken(): string[] } {
  let failures: string[] = []
  return {
    logger: {
      line: () => undefined,
      error(fields, message) {
        const { err } = fields as { err?: Error }
        failures.push(`${message}: ${err?.stack ?? JSON.stringify(fields)}`)
      },
    },
    taken() {
      const since = failures
      failures = []
      return since
    },
  }
}

/** The server's own loops find nothing to do. */
function withoutUpkeep(store: Store): Store {
  return {
    ...store,
    positions: {
      ...store.positions,
      refold: async () => null,
      purgeExpired: async () => null,
      makeRoom: async () => {},
      pack: async () => ({ packed: 0, next: null }),
    },
    changeLog: { ...store.changeLog, purge: async () => false },
    records: { ...store.records, lease: async () => [], purgeExpired: async () => null },
  }
}

function faulty(store: Store, { page: alter, view: distort }: Fault): Store {
  if (alter === undefined && distort === undefined) return store
  const { changeLog } = store
  return {
    ...store,
    changeLog: {
      ...changeLog,
      async view(organization, work, signal) {
        const run: typeof work = (view) => work(distort === undefined ? view : distort(view))
        const read = await changeLog.view(organization, run, signal)
        const { page } = (read ?? {}) as { page?: Page }
        return page === undefined || alter === undefined ? read : { ...read!, page: alter(page) }
      },
    },
  }
}
