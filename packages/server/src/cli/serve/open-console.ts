import { isDeepStrictEqual } from 'node:util'
import type { Registry } from 'prom-client'
import type { AdminApi } from '../../admin/admin-api.ts'
import type { AdminListener } from '../../admin/listener.ts'
import { openAdminApi } from '../../admin/open-admin-api.ts'
import type { Logger } from '../../api/request-log.ts'
import { openDirectory } from '../../cache/directory.ts'
import { ChangeWatch } from '../../changes/change-watch.ts'
import { type DeploymentLocation, openDeployment, openGeocoder } from '../../compose.ts'
import { type Clock, systemClock } from '../../domain/time/time.ts'
import { addressReader } from '../../http/client-address.ts'
import { inviteFirst } from '../../operator/people.ts'
import { openOutageLog } from '../../outage-log.ts'
import { openDisclosureCounts } from '../../usage/disclosure-counts.ts'
import { openUsageCounts } from '../../usage/usage-counts.ts'
import { say } from '../failure.ts'
import { originOf, reachable } from './addresses.ts'
import { aboutOf, hasConsole } from './serve-deployment.ts'
import type { ServeOptions } from './serve-options.ts'
import { signOnOf } from './sign-on-options.ts'
import type { WorkerStarted } from './workers.ts'

/** The console of several processes. The primary process runs it, serves no requests and counts none. */
export async function openConsole(
  location: DeploymentLocation,
  options: ServeOptions,
  { api, feed }: WorkerStarted['begun'],
  serverLogger: Logger,
  registry: Registry,
): Promise<{ api: AdminApi; close(): Promise<void> }> {
  await using opened = new AsyncDisposableStack()
  const deployment = await openDeployment(location, systemClock, serverLogger)
  opened.defer(deployment.close)
  const { store, realtime } = deployment
  const outages = openOutageLog({ store, clock: systemClock, logger: serverLogger }, registry)
  opened.defer(async () => outages.close())
  const { logger } = outages
  const directory = await openDirectory(store, realtime.snapshots, systemClock)
  opened.defer(directory.close)
  const changeWatch = new ChangeWatch(store, (error) =>
    logger.error({ err: error }, 'the newest changes could not be read; tried again at once'),
  )
  opened.defer(async () => changeWatch.close())
  const geocoder = openGeocoder(
    {
      // The processes of the feed ask a geocoding server. Here addresses are only read.
      source: options.geocoder === 'off' ? 'off' : 'offline',
      requestsPerSecond: options.geocoderRate,
      userAgent: options.geocoderUserAgent,
    },
    systemClock,
    (failure) => logger.error({ err: failure }, 'addresses are not found just now'),
  )
  opened.defer(async () => geocoder?.close())
  const adminApi = openAdminApi({
    store,
    realtime,
    directory,
    changeWatch,
    usage: openUsageCounts(store.usage, systemClock),
    disclosures: openDisclosureCounts(store.disclosures, systemClock),
    about: aboutOf(options, api, feed),
    signOn: signOnOf(options),
    clock: systemClock,
    knownAddresses: geocoder?.known ?? null,
    addressOf: addressReader(options.trustProxy),
    line: logger.line,
    failed: (error, id) =>
      logger.error({ err: error, request_id: id }, 'the console could not be served'),
  })
  opened.defer(adminApi.signIns.close)
  const all = opened.move()
  return { api: adminApi, close: () => all.disposeAsync() }
}

/**
 * The console's address, which is noted for the commands that print it. While there is no account, it carries the secret
 * of the setup link. Null, with a line on stderr, if this installation has no console.
 */
export async function consoleLink(
  { store, about }: Pick<AdminApi, 'store' | 'about'>,
  { address }: Pick<AdminListener, 'address'>,
  clock: Clock,
): Promise<{ url: string; setup: string | null } | null> {
  const url = about.consoleUrl ?? originOf(reachable(address), false)
  const addresses = { consoleUrl: url, feedUrl: about.feedUrl }
  if (!isDeepStrictEqual(await store.access.addresses(), addresses)) {
    await store.access.setAddresses(addresses)
  }
  if (!hasConsole()) {
    say("there is no console, because it was not built: run 'npm ci' without --omit=dev")
    return null
  }
  return { url, setup: await inviteFirst(store, clock.now()) }
}
