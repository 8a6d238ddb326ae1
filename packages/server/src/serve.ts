import type { AddressInfo } from 'node:net'
import { feedTokenFinder } from './access/feed-token.ts'
import { type AdminListener, listenAdmin } from './admin/listener.ts'
import { openMetrics } from './admin/metrics.ts'
import type { HistoryLimits } from './api/api.ts'
import { addressReader } from './api/client-address.ts'
import { type Listener, listen, type Tls } from './api/listener.ts'
import { oncePerTurn } from './api/once-per-turn.ts'
import { type Logger, openRequestLog } from './api/request-log.ts'
import { type Catalogue, openCatalogue } from './catalogue/catalogue.ts'
import type { Clock } from './domain/clock.ts'
import { openIngest } from './feed/ingest.ts'
import { type FeedListener, listenFeed } from './feed/listener.ts'
import type { Geocoder } from './geocoding/geocoder.ts'
import type { Realtime } from './realtime/realtime.ts'
import type { Store } from './store/store.ts'
import { trackingRules } from './tracking/rules.ts'
import { type Addressees, type Addressing, keepAddressing } from './upkeep/addressing.ts'
import { keepRefolding } from './upkeep/refolding.ts'
import { keepRetention } from './upkeep/retention.ts'

export type ServeSettings = {
  host: string
  /** 0 takes a free port. */
  port: number
  adminPort: number
  feedPort: number
  tls: Tls | undefined
  trustedProxies: string[]
  limits: HistoryLimits
}

export type Parts = {
  store: Store
  realtime: Realtime
  /** Null where addresses come from packets alone. */
  geocoder: Geocoder | null
  clock: Clock
  logger: Logger
}

export type Server = {
  readonly api: AddressInfo
  readonly admin: AddressInfo
  readonly feed: AddressInfo
  /** Ends when no request is in flight any more and all that is written behind is written. */
  stop(): Promise<void>
}

const WRITE_USES_EVERY_MS = 10_000

/** Brings up the listeners over parts that are open, and closes none of those but the geocoder. */
export async function serve(settings: ServeSettings, parts: Parts): Promise<Server> {
  const { store, realtime, geocoder, clock, logger } = parts
  const metrics = openMetrics()
  const catalogue = await openCatalogue(store, realtime.snapshots, clock)
  const addressOf = addressReader(settings.trustedProxies)
  const log = openRequestLog(logger, addressOf, metrics.observe, clock)
  let stopping = false

  function isReady(): boolean {
    return !stopping && catalogue.isConfirmed()
  }

  const tracking = trackingRules(clock)
  const catchUp = oncePerTurn(catalogue.catchUp)
  let listener: Listener | undefined
  let admin: AdminListener | undefined
  let feed: FeedListener | undefined
  try {
    admin = await listenAdmin(settings.adminPort, metrics, isReady)
    listener = await listen(
      {
        catalogue,
        catchUp,
        positions: store.positions,
        realtime,
        clock,
        limits: settings.limits,
        secret: await store.secret(),
        log,
      },
      settings.host,
      settings.port,
      settings.tls,
    )
    feed = await listenFeed(
      {
        ingest: openIngest({ catalogue, store, tracking, clock }),
        catchUp,
        findToken: feedTokenFinder(catalogue.feedTokens),
        clock,
        logger,
        addressOf,
        registry: metrics.registry,
      },
      settings.host,
      settings.feedPort,
      settings.tls,
    )
  } catch (error) {
    await listener?.drain()
    await admin?.close()
    await catalogue.close()
    throw error
  }
  const uses = setInterval(() => void catalogue.writeLastUses(), WRITE_USES_EVERY_MS)
  const retention = keepRetention(store, clock, (error) =>
    logger.error({ err: error }, 'expired positions could not be deleted; tried again in an hour'),
  )
  const refolding = keepRefolding(store, tracking, (error) =>
    logger.error({ err: error }, 'positions could not be folded anew; tried again at once'),
  )
  const addressing =
    geocoder === null
      ? null
      : keepAddressing(store, geocoder, addresseesOf(catalogue), (error) =>
          logger.error({ err: error }, 'addresses of what was deleted are forgotten later'),
        )
  const running = { listener, admin, feed }
  void warm(catalogue, addressing).catch((error) =>
    logger.error({ err: error }, 'states could not be read ahead; they are read when asked for'),
  )

  return {
    api: running.listener.address,
    admin: running.admin.address,
    feed: running.feed.address,
    async stop() {
      stopping = true
      clearInterval(uses)
      await Promise.all([retention.stop(), refolding.stop()])
      await Promise.all([running.feed.drain(), running.listener.drain()])
      await addressing?.stop()
      await running.admin.close()
      await catalogue.close()
    },
  }
}

/** What addressing asks of the catalogue. */
function addresseesOf(catalogue: Catalogue): Addressees {
  return {
    async languageOf(organization) {
      return (await catalogue.organization(organization))?.language ?? 'en'
    },
    async owned(id, objects) {
      await catalogue.catchUp()
      const organization = await catalogue.organization(id)
      return organization === null ? [] : catalogue.fleet(organization).owned(objects)
    },
  }
}

/** Reads what requests will be answered from, organization by organization, while others are answered. */
async function warm(catalogue: Catalogue, addressing: Addressing | null): Promise<void> {
  for (const organization of catalogue.organizations()) {
    const objects = await catalogue.fleet(organization).warm()
    await addressing?.seed(organization.id, objects)
  }
}
