import type { AddressInfo } from 'node:net'
import { feedTokenFinder } from './access/feed-token.ts'
import { placesOf } from './access/network.ts'
import type { About, AdminApi } from './admin/admin-api.ts'
import { type Metrics, openMetrics } from './admin/metrics.ts'
import { openAdminApi } from './admin/open-admin-api.ts'
import type { HistoryLimits } from './api/api.ts'
import { addressReader, loopbackOrProxy } from './api/client-address.ts'
import { keptBodies } from './api/kept-bodies.ts'
import { listen } from './api/listener.ts'
import { oncePerTurn } from './api/once-per-turn.ts'
import { type Logger, openRequestLog, type RequestEntry } from './api/request-log.ts'
import { type Catalogue, openCatalogue } from './catalogue/catalogue.ts'
import { readAhead } from './catalogue/read-ahead.ts'
import type { Clock } from './domain/clock.ts'
import { openIngest } from './feed/ingest.ts'
import { listenFeed } from './feed/listener.ts'
import { openRefusedIdents, type RefusedIdents } from './feed/refused-idents.ts'
import type { Geocoder } from './geocoding/geocoder.ts'
import { type ClosedConnections, openClosedConnections } from './http/closed-connections.ts'
import type { ConnectionLimits } from './http/connection-limits.ts'
import { connectionsOfEach } from './http/descriptors.ts'
import type { HttpServer, Tls } from './http/http-server.ts'
import { keepTickShape } from './http/tick-shape.ts'
import type { Realtime } from './realtime/realtime.ts'
import type { Store } from './store/store.ts'
import { trackingRules } from './tracking/rules.ts'
import { type Addressees, type Addressing, keepAddressing } from './upkeep/addressing.ts'
import { keepReconciling, type SharedStates } from './upkeep/reconciling.ts'
import { keepRefolding } from './upkeep/refolding.ts'
import { type Repeated, repeat } from './upkeep/repeat.ts'
import { keepRetention } from './upkeep/retention.ts'
import { keepUsageRetention } from './upkeep/usage-retention.ts'
import { openUsageCounts, type UsageCounts } from './usage/usage-counts.ts'

/**
 * The roles of a process: `api` answers requests; `feed` takes positions and runs the background work; `admin` is the operator's console.
 */
export type Role = 'api' | 'feed' | 'admin'

export type ServeSettings = {
  roles: readonly Role[]
  host: string
  /** 0 takes a free one. */
  port: number
  feedPort: number
  tls: Tls | undefined
  trustedProxies: string[]
  /** On each listener; 0 is no limit. Loopback and trusted proxies have none. */
  maxConnectionsPerAddress: number
  limits: HistoryLimits
  /** Where clients reach the API, as the operator says; empty where the operator does not. */
  apiUrl: string
  /** The console's surroundings, known once the listeners are open. */
  about(api: AddressInfo | null, feed: AddressInfo | null): About
}

export type Parts = {
  store: Store
  realtime: Realtime
  /** Null where no other process serves the same data: all of the background is this one's then. */
  shared: SharedStates | null
  /** Null where addresses come from packets alone. */
  geocoder: Geocoder | null
  clock: Clock
  logger: Logger
}

export type Server = {
  /** Null where it has not that role. */
  readonly api: AddressInfo | null
  readonly feed: AddressInfo | null
  /** Null where it has not that role. */
  readonly admin: AdminApi | null
  readonly metrics: Metrics
  /** For the operator's listener, which is opened elsewhere. */
  readonly closed: ClosedConnections
  isReady(): boolean
  /** Takes no new connection and ends when no request is in flight any more. */
  drain(): Promise<void>
  /** To be called then: ends when all that is written behind is written. */
  stop(): Promise<void>
}

const WRITE_USES_EVERY_MS = 10_000
/** Each used key needs a row to be written, so more often would cost noticeable time. */
const WRITE_USAGE_EVERY_MS = 60_000
/** An operator looks at the list while a tracker sends. Without refused idents nothing is written. */
const WRITE_REFUSED_IDENTS_EVERY_MS = 1_000

/** Brings up the listeners over parts that are open, and closes none of those but the geocoder. */
export async function serve(settings: ServeSettings, parts: Parts): Promise<Server> {
  const { store, realtime, clock, logger } = parts
  keepTickShape()
  const metrics = openMetrics()
  const catalogue = await openCatalogue(store, realtime.snapshots, clock)
  const usage = openUsageCounts(store.usage, clock)
  const closed = openClosedConnections(logger.line, metrics.registry, clock)
  const refusedIdents = openRefusedIdents(store.refusedIdents)
  const counting = { metrics, usage, refusedIdents, closed }
  const listeners = await listenAs(settings, parts, catalogue, counting).catch(async (error) => {
    await catalogue.close()
    throw error
  })
  const failed: AdminApi['failed'] = (error, id) =>
    logger.error({ err: error, request_id: id }, 'the console could not be served')
  const about = settings.about(listeners.api?.address ?? null, listeners.feed?.address ?? null)
  const addressOf = addressReader(settings.trustedProxies)
  const admin = settings.roles.includes('admin')
    ? openAdminApi({
        ...{ store, realtime, catalogue, usage, about, clock, addressOf, failed },
        line: logger.line,
      })
    : null
  const uses = setInterval(() => void catalogue.writeLastUses(), WRITE_USES_EVERY_MS)
  const counts = setInterval(() => void writeUsage(), WRITE_USAGE_EVERY_MS)

  async function writeUsage(): Promise<void> {
    await usage
      .write()
      .catch((error) =>
        logger.error({ err: error }, 'usage could not be stored; tried again later'),
      )
  }
  const listing = repeat(refusedIdents.write, WRITE_REFUSED_IDENTS_EVERY_MS, (error) =>
    logger.error({ err: error }, 'refused idents could not be stored; tried again in a second'),
  )
  const reconciling = reconcile(parts, catalogue)
  const upkeep =
    parts.shared === null || settings.roles.includes('feed') ? keepUp(parts, catalogue) : null
  // States that other processes change as well are kept where all of them find them.
  if (parts.shared === null) {
    const addressing = upkeep?.addressing
    void readAhead(catalogue, (id, objects) => addressing?.seed(id, objects)).catch((error) =>
      logger.error({ err: error }, 'states could not be read ahead; they are read when asked for'),
    )
  }
  let stopping = false
  let upkeepEnds: Promise<void> | undefined

  return {
    api: listeners.api?.address ?? null,
    feed: listeners.feed?.address ?? null,
    admin,
    metrics,
    closed,
    isReady: () => !stopping && catalogue.isConfirmed(),
    async drain() {
      stopping = true
      clearInterval(uses)
      clearInterval(counts)
      upkeepEnds = Promise.all([upkeep?.stop(), reconciling?.stop()]).then(() => undefined)
      await Promise.all([listeners.feed?.drain(), listeners.api?.drain()])
    },
    async stop() {
      await upkeepEnds
      await upkeep?.addressing?.stop()
      await parts.geocoder?.close()
      await writeUsage()
      await listing.stop()
      await refusedIdents.write()
      await admin?.signIns.close()
      await catalogue.close()
    },
  }
}

type Counting = {
  metrics: Metrics
  usage: UsageCounts
  refusedIdents: RefusedIdents
  closed: ClosedConnections
}
type Listeners = { api: HttpServer | null; feed: HttpServer | null }

/** File descriptors that connections leave free: for the operator's listener, and files of imports. */
const RESERVED = 16
/** The same, and connections to PostgreSQL, its replicas and Redis: most are made when they are needed. */
const RESERVED_WITH_SERVERS = RESERVED + 48

/** `limit`: of the connections of one address, of IPv6 of one /64; 0 is no limit. */
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

/** Opens the listeners of a process's roles, or none. */
async function listenAs(
  settings: ServeSettings,
  { store, realtime, shared, geocoder, clock, logger }: Parts,
  catalogue: Catalogue,
  { metrics, usage, refusedIdents, closed }: Counting,
): Promise<Listeners> {
  const { roles, host, port, feedPort, tls, trustedProxies, limits } = settings
  const catchUp = oncePerTurn(catalogue.catchUp)
  const addressOf = addressReader(trustedProxies)
  const ofAddress = addressLimits(settings.maxConnectionsPerAddress, trustedProxies)
  const count = roles.filter((role) => role !== 'admin').length
  const inAll = connectionsOfEach(count, shared === null ? RESERVED : RESERVED_WITH_SERVERS)
  const listeners: Listeners = { api: null, feed: null }
  try {
    if (roles.includes('api')) {
      const observe = (entry: RequestEntry) => {
        metrics.observe(entry)
        usage.count(entry)
      }
      const log = openRequestLog(logger, addressOf, observe, clock)
      const secret = await store.secret()
      const { positions } = store
      const bodies = keptBodies()
      const knownAddresses = geocoder?.known ?? null
      const api = {
        ...{ catalogue, catchUp, positions, realtime, clock, limits, secret, log, bodies },
        knownAddresses,
        url: settings.apiUrl,
      }
      listeners.api = await listen(
        api,
        host,
        port,
        { ...ofAddress, inAll, closed: closed('public') },
        tls,
      )
    }
    if (roles.includes('feed')) {
      const tracking = trackingRules(clock)
      const ingest = openIngest({ catalogue, store, tracking, refusedIdents, clock })
      const findToken = feedTokenFinder(catalogue.feedTokens)
      const { registry } = metrics
      const feed = { ingest, catchUp, findToken, clock, logger, addressOf, registry }
      listeners.feed = await listenFeed(
        feed,
        host,
        feedPort,
        { ...ofAddress, inAll, closed: closed('feed') },
        tls,
      )
    }
    return listeners
  } catch (error) {
    await listeners.api?.drain()
    throw error
  }
}

/** In every process: any of them may be the one that is left. */
function reconcile({ shared, logger }: Parts, catalogue: Catalogue): Repeated | null {
  if (shared === null) return null
  return keepReconciling(shared, catalogue.organizationIds, (error) =>
    logger.error(
      { err: error },
      'live states could not be compared with what is stored; tried again in 5 s',
    ),
  )
}

type Upkeep = { addressing: Addressing | null; stop(): Promise<void> }

/** Begins what a deployment does by itself. Addressing goes on until nothing comes in any more. */
function keepUp({ store, geocoder, clock, logger }: Parts, catalogue: Catalogue): Upkeep {
  const tell = (what: string) => (error: unknown) => logger.error({ err: error }, what)
  const repeated = [
    keepRetention(
      store,
      clock,
      tell('expired positions could not be deleted; tried again in an hour'),
    ),
    keepUsageRetention(
      store.usage,
      clock,
      tell('usage of long ago could not be deleted; tried again in an hour'),
    ),
    keepRefolding(
      store,
      trackingRules(clock),
      tell('positions could not be recalculated; trying again at once'),
    ),
  ]
  return {
    addressing:
      geocoder === null
        ? null
        : keepAddressing(
            store,
            geocoder,
            addresseesOf(catalogue),
            tell('addresses of what was deleted are forgotten later'),
          ),
    async stop() {
      await Promise.all(repeated.map((each) => each.stop()))
    },
  }
}

/** The part of the catalogue that addressing needs. */
function addresseesOf(catalogue: Catalogue): Addressees {
  return {
    async languageOf(organization) {
      return (await catalogue.organization(organization))?.language ?? 'en'
    },
    async owned(id, objects) {
      await catalogue.catchUp()
      const fleet = await catalogue.fleetOf(id)
      if (fleet === null) return []
      const all = await fleet.objects()
      return objects.filter((object) => all.has(object))
    },
  }
}
