import type { AddressInfo } from 'node:net'
import { type AdminListener, listenAdmin } from './admin/listener.ts'
import { openMetrics } from './admin/metrics.ts'
import type { HistoryLimits } from './api/api.ts'
import { addressReader } from './api/client-address.ts'
import { type Listener, listen, type Tls } from './api/listener.ts'
import { oncePerTurn } from './api/once-per-turn.ts'
import { type Logger, openRequestLog } from './api/request-log.ts'
import { openCatalogue } from './catalogue/catalogue.ts'
import type { Clock } from './domain/clock.ts'
import type { Realtime } from './realtime/realtime.ts'
import { keepRetention } from './retention/retention.ts'
import type { Store } from './store/store.ts'

export type ServeSettings = {
  host: string
  /** 0 takes a free port. */
  port: number
  adminPort: number
  tls: Tls | undefined
  trustedProxies: string[]
  limits: HistoryLimits
}

export type Parts = { store: Store; realtime: Realtime; clock: Clock; logger: Logger }

export type Server = {
  readonly api: AddressInfo
  readonly admin: AddressInfo
  /** Ends when no request is in flight any more and all that is written behind is written. */
  stop(): Promise<void>
}

const WRITE_USES_EVERY_MS = 10_000

/** Brings up the listeners over parts that are open, and closes none of those. */
export async function serve(settings: ServeSettings, parts: Parts): Promise<Server> {
  const { store, realtime, clock, logger } = parts
  const metrics = openMetrics()
  const catalogue = await openCatalogue(store, realtime.snapshots, clock)
  const log = openRequestLog(logger, addressReader(settings.trustedProxies), metrics.observe, clock)
  let stopping = false

  function isReady(): boolean {
    return !stopping && catalogue.isConfirmed()
  }

  let listener: Listener | undefined
  let admin: AdminListener | undefined
  try {
    admin = await listenAdmin(settings.adminPort, metrics, isReady)
    listener = await listen(
      {
        catalogue,
        catchUp: oncePerTurn(catalogue.catchUp),
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
  } catch (error) {
    await admin?.close()
    await catalogue.close()
    throw error
  }
  const uses = setInterval(() => void catalogue.writeLastUses(), WRITE_USES_EVERY_MS)
  const retention = keepRetention(store, clock, (error) =>
    logger.error({ err: error }, 'expired positions could not be deleted; tried again in an hour'),
  )
  const running = { listener, admin }

  return {
    api: running.listener.address,
    admin: running.admin.address,
    async stop() {
      stopping = true
      clearInterval(uses)
      await retention.stop()
      await running.listener.drain()
      await running.admin.close()
      await catalogue.close()
    },
  }
}
