import type { AddressInfo } from 'node:net'
import { placesOf } from './access/network.ts'
import type { AdminApi, ServerFacts } from './admin/admin-api.ts'
import { type Metrics, openMetrics } from './admin/metrics/metrics.ts'
import { recordSeries } from './admin/metrics/record-series.ts'
import { streamSeries } from './admin/metrics/stream-series.ts'
import { webhookSeries } from './admin/metrics/webhook-series.ts'
import { openAdminApi } from './admin/open-admin-api.ts'
import type { HistoryLimits } from './api/api.ts'
import { openDocuments, type ServerDescription } from './api/documentation/serve-documentation.ts'
import { listen } from './api/listener.ts'
import { keptBodies } from './api/reply/kept-bodies.ts'
import { type Logger, openRequestLog, type RequestEntry } from './api/request-log.ts'
import { oncePerTick } from './api/same-tick.ts'
import { openChangeReaders, releaseReaders } from './api/streams/change-readers.ts'
import { type Directory, openDirectory } from './directory/directory.ts'
import type { FleetObject } from './directory/fleet-object.ts'
import { readAhead } from './directory/read-ahead.ts'
import type { Clock } from './domain/time/clock.ts'
import { openIngest } from './feed/ingest.ts'
import { listenFeed } from './feed/listener.ts'
import { openRefusedIdents, type RefusedIdents } from './feed/refused-idents.ts'
import { feedTokenFinder } from './feed/token.ts'
import { foldRules } from './fold/rules/fold-rules.ts'
import type { Geocoder } from './geocoding/geocoder.ts'
import { addressReader, loopbackOrProxy } from './http/client-address.ts'
import {
  type ClosedConnections,
  openClosedConnections,
} from './http/connections/closed-connections.ts'
import type { ConnectionLimits } from './http/connections/connection-limits.ts'
import { connectionsOfEach } from './http/connections/descriptors.ts'
import type { HttpServer, Tls } from './http/http-server.ts'
import { keepTickShape } from './http/tick-shape.ts'
import type { Realtime } from './realtime/realtime.ts'
import { startRecords } from './records/start-records.ts'
import { coverageOf } from './reports/coverage/read-coverage.ts'
import type { Store } from './store/store.ts'
import { type Addressees, type Addressing, startAddressing } from './upkeep/addressing.ts'
import { startChangesRetention } from './upkeep/changes-retention.ts'
import { type SharedStates, startReconciling } from './upkeep/reconciling.ts'
import { startRefolding } from './upkeep/refolding.ts'
import { type Repeated, repeat } from './upkeep/repeat.ts'
import { startRetention } from './upkeep/retention.ts'
import { startUsageRetention } from './upkeep/usage-retention.ts'
import { waitUnlessAborted } from './upkeep/wait.ts'
import { type DisclosureCounts, openDisclosureCounts } from './usage/disclosure-counts.ts'
import { openUsageCounts, type UsageCounts } from './usage/usage-counts.ts'
import { startWebhooks } from './webhooks/start-webhooks.ts'

/**
 * The roles of a process. `api` answers requests. `feed` takes positions and runs the background work.
 * `admin` serves the operator's console.
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
  /** Streams of changes that the process holds. */
  maxStreams: number
  /** Days for which the change log is kept. */
  changesDays: number
  /** Networks besides the public internet to which webhooks may be delivered, in CIDR notation. */
  webhookNetworks: readonly string[]
  /** The address of the API for clients, as the operator gave it. Empty if the operator gave none. */
  apiUrl: string
  /** An e-mail address or a URL where integrators ask for help. Null if unknown. */
  contact: string | null
  /** The console's surroundings, known once the listeners are open. */
  about(api: AddressInfo | null, feed: AddressInfo | null): ServerFacts
}

export type Parts = {
  store: Store
  realtime: Realtime
  /** Null if no other process serves the same data. This process then does all background work. */
  shared: SharedStates | null
  /** Null if only packets bring addresses. */
  geocoder: Geocoder | null
  clock: Clock
  logger: Logger
}

export type Server = {
  /** Null if the process does not have that role. */
  readonly api: AddressInfo | null
  readonly feed: AddressInfo | null
  /** Null if the process does not have that role. */
  readonly admin: AdminApi | null
  readonly metrics: Metrics
  /** For the operator's listener, which the caller opens. */
  readonly closed: ClosedConnections
  isReady(): boolean
  /** Stops accepting connections. Resolves when no request is in flight. */
  drain(): Promise<void>
  /** Call it after `drain`. Resolves when everything that is written later, such as usage, is written. */
  stop(): Promise<void>
}

const WRITE_USES_EVERY_MS = 10_000
/** Each used key needs a row to be written, so more often would cost noticeable time. */
const WRITE_USAGE_EVERY_MS = 60_000
/** An operator looks at the list while a tracker sends. Without refused idents nothing is written. */
const WRITE_REFUSED_IDENTS_EVERY_MS = 1_000

/** Opens the listeners. The caller closes the parts, except the geocoder, which this closes. */
export async function serve(settings: ServeSettings, parts: Parts): Promise<Server> {
  const { store, realtime, clock, logger } = parts
  keepTickShape()
  const metrics = openMetrics()
  const directory = await openDirectory(store, realtime.snapshots, clock)
  const usage = openUsageCounts(store.usage, clock)
  const disclosures = openDisclosureCounts(store.disclosures, clock)
  const closed = openClosedConnections(logger.line, metrics.registry, clock)
  const refusedIdents = openRefusedIdents(store.refusedIdents)
  const counting = { metrics, usage, disclosures, refusedIdents, closed }
  const listeners = await listenAs(settings, parts, directory, counting).catch(async (error) => {
    await directory.close()
    throw error
  })
  const failed: AdminApi['failed'] = (error, id) =>
    logger.error({ err: error, request_id: id }, 'the console could not be served')
  const about = settings.about(listeners.api?.address ?? null, listeners.feed?.address ?? null)
  const addressOf = addressReader(settings.trustedProxies)
  const admin = settings.roles.includes('admin')
    ? openAdminApi({
        ...{ store, realtime, directory, usage, disclosures, about, clock, addressOf, failed },
        knownAddresses: parts.geocoder?.known ?? null,
        line: logger.line,
      })
    : null
  const uses = setInterval(() => void directory.writeLastUses(), WRITE_USES_EVERY_MS)
  const counts = setInterval(() => void writeUsage(), WRITE_USAGE_EVERY_MS)

  async function writeUsage(): Promise<void> {
    for (const counted of [usage, disclosures]) {
      await counted
        .write()
        .catch((error) =>
          logger.error({ err: error }, 'usage could not be stored; tried again later'),
        )
    }
  }
  const listing = repeat(refusedIdents.write, WRITE_REFUSED_IDENTS_EVERY_MS, (error) =>
    logger.error({ err: error }, 'refused idents could not be stored; tried again in a second'),
  )
  const reconciling = reconcile(parts, directory)
  const upkeep =
    parts.shared === null || settings.roles.includes('feed')
      ? keepUp(parts, directory, settings.changesDays)
      : null
  const { registry } = metrics
  const deliverer =
    upkeep === null
      ? null
      : startWebhooks({
          ...{ store, directory, realtime, clock, logger },
          secret: await store.secret(),
          knownAddresses: parts.geocoder?.known ?? null,
          counts: webhookSeries(registry),
          allowedNetworks: settings.webhookNetworks,
        })
  const records = recordSeries(registry)
  const deriver =
    upkeep === null
      ? null
      : startRecords({
          ...{ store, derived: records.derived, wait: waitUnlessAborted },
          failed: (error) =>
            logger.error(
              { err: error },
              'records cannot be derived just now; tried again each second',
            ),
        })
  if (deriver !== null) records.follow(deriver)
  // Only a process that serves alone reads ahead. Others keep states in Redis, where all of them find them.
  const ending = new AbortController()
  let reading: Promise<void> | undefined
  if (parts.shared === null) {
    const seed = (id: number, objects: FleetObject[]) => upkeep?.addressing?.seed(id, objects)
    reading = readAhead(directory, seed, ending.signal).catch((error) =>
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
    isReady: () => !stopping && directory.isConfirmed(),
    async drain() {
      stopping = true
      ending.abort()
      clearInterval(uses)
      clearInterval(counts)
      const ends = [upkeep, reconciling, deliverer, deriver].map((each) => each?.stop())
      upkeepEnds = Promise.all(ends).then(() => undefined)
      await Promise.all([listeners.feed?.drain(), listeners.api?.drain()])
    },
    async stop() {
      await reading
      await upkeepEnds
      await upkeep?.addressing?.stop()
      await parts.geocoder?.close()
      await writeUsage()
      await listing.stop()
      await refusedIdents.write()
      await admin?.signIns.close()
      await directory.close()
    },
  }
}

type Counting = {
  metrics: Metrics
  usage: UsageCounts
  disclosures: DisclosureCounts
  refusedIdents: RefusedIdents
  closed: ClosedConnections
}
type Listeners = { api: HttpServer | null; feed: HttpServer | null }

/** Connections leave this many file descriptors free, for the operator's listener and imported files. */
const RESERVED = 16
/** The same in a deployment with PostgreSQL and Redis, whose connections are opened when needed. */
const RESERVED_WITH_SERVERS = RESERVED + 48

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

/** Opens the listeners of a process's roles. If one fails, closes the others. */
async function listenAs(
  settings: ServeSettings,
  { store, realtime, shared, geocoder, clock, logger }: Parts,
  directory: Directory,
  { metrics, usage, disclosures, refusedIdents, closed }: Counting,
): Promise<Listeners> {
  const { roles, host, port, feedPort, tls, trustedProxies, limits } = settings
  const catchUp = oncePerTick(directory.catchUp)
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
      const { positions, changes, records } = store
      const coverage = coverageOf(store)
      const bodies = keptBodies()
      const knownAddresses = geocoder?.known ?? null
      const failed = (error: unknown) =>
        logger.error({ err: error }, 'the newest changes could not be read; tried again at once')
      const counts = streamSeries(metrics.registry)
      const parts = { directory, catchUp, clock }
      const readers = openChangeReaders(store, parts, settings.maxStreams, counts, failed)
      const api = {
        ...readers,
        ...{ directory, catchUp, positions, changes, records, coverage, realtime, clock },
        ...{ limits, secret, log, bodies, usage, disclosures },
        changesDays: settings.changesDays,
        knownAddresses,
        url: settings.apiUrl,
        documents: openDocuments(() => describeServer(settings, listeners.api!.address)),
      }
      const publicLimits = { ...ofAddress, inAll, closed: closed('public') }
      const listener = await listen(api, host, port, publicLimits, tls)
      listeners.api = {
        ...listener,
        drain() {
          releaseReaders(readers)
          return listener.drain()
        },
      }
    }
    if (roles.includes('feed')) {
      const rules = foldRules(clock)
      const ingest = openIngest({ directory, store, rules, refusedIdents, clock })
      const findToken = feedTokenFinder(directory.feedTokens)
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

/** The address of the listener is known only after it has been opened. */
function describeServer(
  { apiUrl, contact, about }: ServeSettings,
  api: AddressInfo,
): ServerDescription {
  return { apiUrl, exampleUrl: about(api, null).apiUrl ?? '', contact }
}

/** Runs in every process, because any of them may be the last one left. */
function reconcile({ shared, logger }: Parts, directory: Directory): Repeated | null {
  if (shared === null) return null
  return startReconciling(shared, directory.organizationIds, (error) =>
    logger.error(
      { err: error },
      'live states could not be compared with what is stored; tried again in 5 s',
    ),
  )
}

type Upkeep = { addressing: Addressing | null; stop(): Promise<void> }

/** Starts the background work. Finding addresses goes on until no packets come in any more. */
function keepUp(
  { store, geocoder, clock, logger }: Parts,
  directory: Directory,
  changesDays: number,
): Upkeep {
  const tell = (what: string) => (error: unknown) => logger.error({ err: error }, what)
  const repeated = [
    startRetention(
      store,
      clock,
      tell('expired positions could not be deleted; tried again in an hour'),
    ),
    startUsageRetention(
      [store.usage, store.disclosures],
      clock,
      tell('usage of long ago could not be deleted; tried again in an hour'),
    ),
    startChangesRetention(
      store.changes,
      changesDays,
      clock,
      tell('changes of long ago could not be deleted; tried again in an hour'),
    ),
    startRefolding(
      store,
      foldRules(clock),
      tell('positions could not be recalculated; trying again at once'),
    ),
  ]
  return {
    addressing:
      geocoder === null
        ? null
        : startAddressing(
            store,
            geocoder,
            addresseesOf(directory),
            tell('addresses of what was deleted are forgotten later'),
          ),
    async stop() {
      await Promise.all(repeated.map((each) => each.stop()))
    },
  }
}

/** The part of the directory that addressing needs. */
function addresseesOf(directory: Directory): Addressees {
  return {
    async languageOf(organization) {
      return (await directory.organization(organization))?.language ?? 'en'
    },
    async owned(id, objects) {
      await directory.catchUp()
      const fleet = await directory.fleetOf(id)
      if (fleet === null) return []
      const all = await fleet.objects()
      return objects.filter((object) => all.has(object))
    },
  }
}
