import type { AddressInfo } from 'node:net'
import { placesOf } from '../base/access/attempts.ts'
import { oncePerTick } from '../base/domain/common/slots.ts'
import { addressReader, loopbackOrProxy } from '../base/http/client-address.ts'
import type { ConnectionLimits } from '../base/http/connection-limits.ts'
import type { HttpServer } from '../base/http/http-server.ts'
import type { OpenListenerLog } from '../base/http/listener-log.ts'
import type { Directory } from '../data/cache/directory.ts'
import type { DisclosureCounts } from '../data/usage/disclosure-counts.ts'
import type { UsageCounts } from '../data/usage/usage-counts.ts'
import { openRouteIndexes } from '../engine/journeys/adherence/route-indexes.ts'
import { keptDays } from '../engine/journeys/days/kept-days.ts'
import { KeptCoverage } from '../engine/journeys/days/read-coverage.ts'
import { openReportTurns } from '../engine/journeys/row-reader.ts'
import { foldRules } from '../engine/tracking/rules/advance.ts'
import { type Metrics, streamSeries } from '../faces/admin/metrics.ts'
import { listen } from '../faces/api/api-listener.ts'
import {
  openDocuments,
  type ServerDescription,
} from '../faces/api/documentation/serve-documentation.ts'
import { openLinkPages } from '../faces/api/links/link-pages.ts'
import { openLinks } from '../faces/api/links/serve-link.ts'
import { listenFeed } from '../faces/feed/feed-listener.ts'
import { openIngest } from '../faces/feed/ingest.ts'
import type { RefusedIdents, WaitingIdents } from '../faces/feed/noted-idents.ts'
import { feedDenials, feedTokenFinder } from '../faces/feed/token.ts'
import { type Api, keptBodies } from '../read/api.ts'
import { openChangeReaders, releaseReaders } from '../read/changes/change-readers.ts'
import { openRequestLog, type RequestEntry } from '../read/request-log.ts'
import { openPageRoom, ROOM_OF_ROWS } from '../read/rows/page-room.ts'
import { openTestFleet } from '../work/simulated/test-fleet/open-test-fleet.ts'
import { CONSOLE } from './console-folder.ts'
import type { Current, Parts, ServeSettings } from './serve-settings.ts'

/** The parts of a process that count what its listeners do. */
export type Counting = {
  metrics: Metrics
  usage: UsageCounts
  disclosures: DisclosureCounts
  refusedIdents: RefusedIdents
  waitingIdents: WaitingIdents
  logOf: OpenListenerLog
}
export type Listeners = { api: HttpServer | null; feed: HttpServer | null }

/** Opens the listeners of a process's roles. If one fails, closes the others. `maxConnections`: of each listener. */
export async function openListeners(
  settings: ServeSettings,
  parts: Parts,
  current: Current,
  counting: Counting,
  maxConnections: number,
): Promise<Listeners> {
  const { roles, trustedProxies, maxConnectionsPerAddress } = settings
  const catchUp = oncePerTick(current.directory.catchUp)
  const limits = {
    ...addressLimits(maxConnectionsPerAddress, trustedProxies),
    inAll: maxConnections,
  }
  const opening: Opening = { settings, parts, ...current, catchUp, counting, limits }
  const listeners: Listeners = { api: null, feed: null }
  try {
    if (roles.includes('api')) listeners.api = await openApi(opening)
    if (roles.includes('feed')) listeners.feed = await openFeed(opening)
    return listeners
  } catch (error) {
    await listeners.api?.drain()
    throw error
  }
}

/** The needs of both listeners. */
type Opening = Current & {
  settings: ServeSettings
  parts: Parts
  /** `catchUp` of the directory, run once for requests that arrive together. */
  catchUp: Directory['catchUp']
  counting: Counting
  limits: Omit<ConnectionLimits, 'closed'>
}

/** Opens the public listener over the parts of its API. */
async function openApi({
  settings,
  parts: { store, realtime, openInMemory, geocoder, clock, logger },
  directory,
  changeWatch,
  views,
  joinedChanges,
  catchUp,
  counting: { metrics, usage, disclosures, logOf },
  limits,
}: Opening): Promise<HttpServer> {
  const { host, port, tls, trustedProxies, historyLimits, changesDays, maxStreams, apiUrl } =
    settings
  const observe = (entry: RequestEntry) => {
    metrics.observe(entry)
    usage.count(entry)
  }
  const failed = (error: unknown) =>
    logger.error({ err: error }, 'the newest changes could not be read; retrying now')
  const counts = streamSeries(metrics.registry)
  const readerParts = { directory, catchUp, clock }
  const readers = openChangeReaders(changeWatch, readerParts, maxStreams, counts)
  const { positions, records } = store
  const secret = await store.secret()
  const liveApi = (): Api => api
  const testFleet = openTestFleet({
    ...{ openInMemory, liveApi, secret, clock, maxStreams, counts, failed },
  })
  const api: Api = {
    ...readers,
    ...{ views, joinedChanges },
    ...{ directory, catchUp, positions, records, realtime, clock },
    ...{ historyLimits, changesDays, usage, url: apiUrl, secret, testFleet },
    disclosures: disclosures.of('key'),
    coverage: new KeptCoverage(store, clock),
    daysOf: keptDays(),
    log: openRequestLog(logger, addressReader(trustedProxies), observe, clock),
    bodies: keptBodies(),
    rowRoom: openPageRoom(ROOM_OF_ROWS),
    inReportTurn: openReportTurns(),
    routeIndexes: openRouteIndexes(),
    knownAddresses: geocoder?.known ?? null,
    documents: openDocuments(() => describeServer(settings, listener.address)),
  }
  const publicLimits = { ...limits, ...logOf('public') }
  const links = openLinks(api, openLinkPages(CONSOLE), disclosures.of('link'))
  const listener = await listen(api, links, host, port, publicLimits, tls)
  return {
    ...listener,
    async drain() {
      releaseReaders(readers)
      testFleet.release()
      await listener.drain()
      await testFleet.close()
    },
  }
}

/** The address of the listener is known only after it has been opened. */
function describeServer(
  { apiUrl, contact, about }: ServeSettings,
  api: AddressInfo,
): ServerDescription {
  return { apiUrl, exampleUrl: about(api, null).apiUrl ?? '', contact }
}

/** Opens the listener for positions. */
function openFeed({
  settings: { host, feedPort, tls, trustedProxies },
  parts: { store, clock, logger },
  directory,
  catchUp,
  counting: { metrics, refusedIdents, waitingIdents, logOf },
  limits,
}: Opening): Promise<HttpServer> {
  const rules = foldRules(clock)
  const { feedTokens, deploymentTokens } = directory
  const feed = {
    ...{ catchUp, clock, logger, registry: metrics.registry },
    ingest: openIngest({ directory, store, rules, refusedIdents, waitingIdents, clock }),
    findToken: feedTokenFinder(feedTokens, deploymentTokens),
    denialOf: feedDenials((hash) => feedTokens.known(hash) ?? deploymentTokens.known(hash)),
    addressOf: addressReader(trustedProxies),
  }
  return listenFeed(feed, host, feedPort, { ...limits, ...logOf('feed') }, tls)
}

/** `limit`: connections of one address, or of one /64 in IPv6. 0: no limit. */
export function addressLimits(
  limit: number,
  trustedProxies: string[],
): Pick<ConnectionLimits, 'perAddress' | 'clientOf'> {
  const isExempt = loopbackOrProxy(trustedProxies)
  return {
    perAddress: limit || Infinity,
    clientOf: (address) => (isExempt(address) ? null : placesOf(address)[0]!),
  }
}
