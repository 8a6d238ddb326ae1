import type { AddressInfo } from 'node:net'
import { addressReader } from '../base/http/client-address.ts'
import { type DescriptorShares, shareDescriptors } from '../base/http/connection-limits.ts'
import { keepTickShape, type Tls } from '../base/http/http-server.ts'
import type { Logger } from '../base/http/listener-log.ts'
import { type OpenListenerLog, openListenerLogs } from '../base/http/listener-log.ts'
import { type Directory, openDirectory, readAhead } from '../data/cache/directory.ts'
import type { FleetObject } from '../data/cache/fleet-objects.ts'
import { openDisclosureCounts } from '../data/usage/disclosure-counts.ts'
import { openUsageCounts } from '../data/usage/usage-counts.ts'
import { ChangeWatch } from '../engine/changes/change-watch.ts'
import { KeptJoinedChanges } from '../engine/changes/joined-changes.ts'
import { KeptViews } from '../engine/changes/kept-views.ts'
import { repeat } from '../engine/repeat.ts'
import type { AdminApi } from '../faces/admin/admin-api.ts'
import { openAdminApi } from '../faces/admin/admin-listener.ts'
import { type Metrics, openMetrics } from '../faces/admin/metrics.ts'
import { openRefusedIdents, openWaitingIdents } from '../faces/feed/noted-idents.ts'
import { type Background, hasAllBackground, startBackground } from './background.ts'
import { type Counting, openListeners } from './listeners.ts'
import { openOutageLog } from './outage-log.ts'
import type { Current, Parts, ServeSettings } from './serve-settings.ts'

export type Server = {
  /** Null if the process does not have that role. */
  readonly api: AddressInfo | null
  readonly feed: AddressInfo | null
  /** Null if the process does not have that role. */
  readonly admin: AdminApi | null
  readonly metrics: Metrics
  /** For the operator's listener, which the caller opens. */
  readonly logOf: OpenListenerLog
  isReady(): boolean
  /** For a server with TLS: takes another certificate for new connections. Throws if TLS cannot use it. */
  renewCertificate(tls: Tls): void
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
export async function serve(settings: ServeSettings, given: Parts): Promise<Server> {
  const { store, realtime, clock } = given
  keepTickShape()
  const { ofListener, deliveries } = sharesOf(settings, given)
  const metrics = openMetrics()
  const outages = openOutageLog(given, metrics.registry)
  const { logger } = outages
  const parts = { ...given, logger }
  const directory = await openDirectory(store, realtime.snapshots, clock)
  const counting = openCounting(store, metrics, logger, clock)
  const changeWatch = new ChangeWatch(store, (error) =>
    logger.error({ err: error }, 'the newest changes could not be read; retrying now'),
  )
  const views = new KeptViews(store.changeLog)
  const stored = store.watch(views.changed)
  const current = {
    directory,
    changeWatch,
    views,
    joinedChanges: new KeptJoinedChanges(),
  }
  const listeners = await openListeners(settings, parts, current, counting, ofListener).catch(
    async (error) => {
      stored.close()
      changeWatch.close()
      await directory.close()
      throw error
    },
  )
  const about = settings.about(listeners.api?.address ?? null, listeners.feed?.address ?? null)
  const writing = startWriting(directory, counting, logger)
  const background = await startBackground(settings, parts, current, counting, deliveries)
  const admin = settings.roles.includes('admin')
    ? openAdmin(settings, parts, current, counting, background, about)
    : null
  // Only a process that serves alone reads ahead. Others keep states in Redis, where all of them find them.
  const reading = parts.shared === null ? startReading(directory, background, logger) : null
  let stopping = false
  let backgroundEnds: Promise<void> | undefined

  return {
    api: listeners.api?.address ?? null,
    feed: listeners.feed?.address ?? null,
    admin,
    metrics,
    logOf: counting.logOf,
    isReady: () => !stopping && directory.isConfirmed(),
    renewCertificate(tls) {
      for (const each of [listeners.api, listeners.feed]) each?.renewCertificate(tls)
    },
    async drain() {
      stopping = true
      reading?.abort()
      writing.pause()
      backgroundEnds = background.stop()
      await Promise.all([listeners.feed?.drain(), listeners.api?.drain()])
    },
    async stop() {
      await reading?.ended
      await backgroundEnds
      await background.addressing?.stop()
      await parts.geocoder?.close()
      await writing.stop()
      await admin?.signIns.close()
      outages.close()
      stored.close()
      changeWatch.close()
      await directory.close()
    },
  }
}

/** File descriptors for the operator's listener and imported files. */
const RESERVED = 16
/** The same in a deployment with PostgreSQL and Redis, whose connections are opened when needed. */
const RESERVED_WITH_SERVERS = RESERVED + 48

function sharesOf(settings: ServeSettings, parts: Parts): DescriptorShares {
  return shareDescriptors({
    listeners: settings.roles.filter((role) => role !== 'admin').length,
    delivers: hasAllBackground(settings, parts),
    reserved: parts.shared === null ? RESERVED : RESERVED_WITH_SERVERS,
  })
}

function openCounting(
  store: Parts['store'],
  metrics: Metrics,
  { line }: Logger,
  clock: Parts['clock'],
): Counting {
  return {
    metrics,
    usage: openUsageCounts(store.usage, clock),
    disclosures: openDisclosureCounts(store.disclosures, clock),
    refusedIdents: openRefusedIdents(store.refusedIdents),
    waitingIdents: openWaitingIdents(store.routing),
    logOf: openListenerLogs(line, metrics.registry, clock),
  }
}

function openAdmin(
  { signOn, trustedProxies }: ServeSettings,
  { store, realtime, clock, geocoder, logger }: Parts,
  { directory, changeWatch }: Current,
  { usage, disclosures }: Counting,
  { lastPacking }: Background,
  about: ReturnType<ServeSettings['about']>,
): AdminApi {
  return openAdminApi({
    ...{ store, realtime, directory, changeWatch, usage, disclosures, about, clock, signOn },
    lastPacking,
    knownAddresses: geocoder?.known ?? null,
    addressOf: addressReader(trustedProxies),
    line: logger.line,
    failed: (error, id) =>
      logger.error({ err: error, request_id: id }, 'the console could not be served'),
  })
}

/** Reads states ahead. */
function startReading(directory: Directory, { addressing }: Background, logger: Logger) {
  const ending = new AbortController()
  const seed = (id: number, objects: FleetObject[]) => addressing?.seed(id, objects)
  const ended = readAhead(directory, seed, ending.signal).catch((error) =>
    logger.error({ err: error }, 'states could not be read ahead; they are read when asked for'),
  )
  return { ended, abort: () => ending.abort() }
}

/** Writes what a process has counted, again and again. */
type Writing = {
  /** Stops the writes of uses and usage. Idents are still written until `stop`. */
  pause(): void
  /** Resolves when everything that was counted is written. */
  stop(): Promise<void>
}

function startWriting(
  directory: Directory,
  { usage, disclosures, refusedIdents, waitingIdents }: Counting,
  logger: Logger,
): Writing {
  async function writeUsage(): Promise<void> {
    for (const counted of [usage, disclosures]) {
      await counted
        .write()
        .catch((error) => logger.error({ err: error }, 'usage could not be stored; retrying later'))
    }
  }

  const uses = setInterval(() => void directory.writeLastUses(), WRITE_USES_EVERY_MS)
  const counts = setInterval(() => void writeUsage(), WRITE_USAGE_EVERY_MS)
  const writeIdents = async () => {
    await refusedIdents.write()
    await waitingIdents.write()
  }
  const idents = repeat(writeIdents, WRITE_REFUSED_IDENTS_EVERY_MS, (error) =>
    logger.error({ err: error }, 'refused idents could not be stored; retrying in a second'),
  )
  return {
    pause() {
      clearInterval(uses)
      clearInterval(counts)
    },
    async stop() {
      await writeUsage()
      await idents.stop()
      await writeIdents()
    },
  }
}
