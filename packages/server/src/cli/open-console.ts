import type { AdminApi } from '../admin/admin-api.ts'
import { openAdminApi } from '../admin/open-admin-api.ts'
import { addressReader } from '../api/client-address.ts'
import type { Logger } from '../api/request-log.ts'
import { openCatalogue } from '../catalogue/catalogue.ts'
import { type DeploymentLocation, openDeployment } from '../compose.ts'
import { systemClock } from '../domain/clock.ts'
import { openUsageCounts } from '../usage/usage-counts.ts'
import type { ServeOptions } from './serve.ts'
import { aboutOf } from './serve-deployment.ts'
import type { Begun } from './worker-messages.ts'

/** The console of several processes. The primary process runs it, serves no requests and counts none. */
export async function openConsole(
  location: DeploymentLocation,
  options: ServeOptions,
  { api, feed }: Begun['begun'],
  logger: Logger,
): Promise<{ api: AdminApi; close(): Promise<void> }> {
  await using opened = new AsyncDisposableStack()
  const deployment = await openDeployment(location, systemClock, logger)
  opened.defer(deployment.close)
  const { store, realtime } = deployment
  const catalogue = await openCatalogue(store, realtime.snapshots, systemClock)
  opened.defer(catalogue.close)
  const adminApi = openAdminApi({
    store,
    realtime,
    catalogue,
    usage: openUsageCounts(store.usage, systemClock),
    about: aboutOf(options, api, feed),
    clock: systemClock,
    addressOf: addressReader(options.trustProxy),
    line: logger.line,
    failed: (error, id) =>
      logger.error({ err: error, request_id: id }, 'the console could not be served'),
  })
  opened.defer(adminApi.signIns.close)
  const all = opened.move()
  return { api: adminApi, close: () => all.disposeAsync() }
}
