import type { KeyObject } from 'node:crypto'
import type { Api } from '../api/api.ts'
import { openPageRoom, ROOM_OF_CHANGES } from '../api/changes/change-readers.ts'
import type { Logger } from '../api/request-log.ts'
import type { Directory } from '../cache/directory.ts'
import type { ChangeWatch } from '../changes/change-watch.ts'
import type { KeptJoinedChanges } from '../changes/joined-changes.ts'
import type { Clock } from '../domain/time/time.ts'
import type { Realtime } from '../live/realtime.ts'
import type { ReaderViews } from '../store/change-log.ts'
import type { Store } from '../store/store.ts'
import { thinnedFailures, waitUnlessAborted } from '../tasks/repeat.ts'
import { reachableUnless, resolverOf } from './addresses.ts'
import { Deliverer } from './deliverer.ts'
import type { TriedDelivery } from './runner.ts'
import { openDeliverySlots, openSender } from './sender.ts'

/** Counts for the metrics. */
export type WebhookCounts = {
  tried(outcome: 'delivered' | 'failed', durationMs: number): void
  switchedOff(): void
}

type WebhookServices = {
  store: Store
  /** The moments of organizations from which pages are made. */
  views: ReaderViews
  joinedChanges: KeptJoinedChanges
  directory: Directory
  changeWatch: ChangeWatch
  realtime: Realtime
  /** The secret of the deployment. */
  secret: KeyObject
  knownAddresses: Api['knownAddresses']
  clock: Clock
  logger: Logger
  counts: WebhookCounts
  /** Networks to which deliveries may go in addition to the public internet, in CIDR notation. */
  allowedNetworks: readonly string[]
  /** Deliveries that may be under way at once. */
  maxDeliveries: number
}

/** Starts to deliver to webhooks. */
export function startWebhooks(services: WebhookServices): Deliverer {
  const { store, directory, realtime, secret, knownAddresses, clock, logger } = services
  const { views, joinedChanges, changeWatch, counts, allowedNetworks, maxDeliveries } = services
  const failed = thinnedFailures((error) =>
    logger.error({ err: error }, 'webhooks cannot be delivered just now; tried again every 5 s'),
  )
  const sender = openSender({
    isReachable: reachableUnless(allowedNetworks),
    resolve: resolverOf(),
  })
  const pageRoom = openPageRoom(ROOM_OF_CHANGES)
  const { quota } = realtime
  return new Deliverer({
    store,
    directory,
    changeWatch,
    clock,
    failed,
    pages: {
      views,
      joinedChanges,
      directory,
      records: store.records,
      pageRoom,
      clock,
      secret,
      knownAddresses,
      quota,
    },
    send: sender.send,
    slots: openDeliverySlots(maxDeliveries),
    wait: waitUnlessAborted,
    tried(what) {
      counts.tried(what.sent.failure === null ? 'delivered' : 'failed', what.durationMs)
      if (what.isSwitchedOff) counts.switchedOff()
      logger.line(membersOf(what))
    },
    close: sender.close,
  })
}

/** Without the URL, which may hold a secret of the receiver. */
function membersOf({ webhook, delivery, sent, durationMs, isSwitchedOff }: TriedDelivery): string {
  const { organization, id } = webhook
  const failure = sent.failure === null ? '' : `,"failure":${JSON.stringify(sent.failure)}`
  return (
    `"organization":${organization},"webhook":${id},"delivery":${delivery.number}` +
    `,"kind":"${delivery.kind}","entries":${delivery.entries},"status":${sent.status}` +
    `,"ms":${durationMs}${failure}${isSwitchedOff ? ',"switched_off":true' : ''}` +
    ',"msg":"webhook delivery"'
  )
}
