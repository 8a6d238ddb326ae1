import type { TestContext } from 'node:test'
import { setImmediate as yieldToOthers } from 'node:timers/promises'
import { type HandedClock, handedClock } from '../../../testing/handed-clock.ts'
import {
  append,
  fixAt,
  NOW,
  newObject,
  newOrganization,
} from '../../../testing/store-contract/fixture.ts'
import { temporaryStore } from '../../../testing/stores/temporary-sqlite-store.ts'
import { openReceiver, type WebhookReceiver } from '../../../testing/webhook-receiver.ts'
import { newWebhookSecret, sealWebhookSecret } from '../../base/access/seal.ts'
import type { Disclosed } from '../../base/domain/disclosure.ts'
import { WEBHOOK_DEFAULTS, type WebhookSettings } from '../../base/domain/webhook.ts'
import { openDirectory } from '../../data/cache/directory.ts'
import { openMemoryRealtime } from '../../data/live/memory/memory-realtime.ts'
import type { Realtime } from '../../data/live/realtime.ts'
import { ChangeWatch } from '../../engine/changes/change-watch.ts'
import { KeptJoinedChanges } from '../../engine/changes/joined-changes.ts'
import type { Store } from '../../engine/store/store.ts'
import { openPageRoom, ROOM_OF_CHANGES } from '../../read/rows/page-room.ts'
import { Deliverer } from './deliverer.ts'
import { type DeliverySlots, openDeliverySlots } from './delivery-slots.ts'
import { reachableUnless } from './resolve-addresses.ts'
import { Runner, type RunnerParts, type TriedDelivery } from './runner.ts'
import { openSender } from './sender.ts'

/** A fleet with one object, a real receiver, and the runner of a webhook between them, on a handed clock. */
export type WebhookTrial = {
  store: Store
  realtime: Realtime
  clock: HandedClock
  receiver: WebhookReceiver
  /** The slots of the process. An organization has two of them. */
  slots: DeliverySlots
  organization: number
  object: number
  webhook: number
  secret: string
  /** The secret as it is stored. */
  stored: { secret: Buffer }
  /** The delivery attempts so far. */
  tried: TriedDelivery[]
  /** The counted disclosures. */
  disclosures: (Disclosed & { webhook: number })[]
  /** Appends positions of the object, one second apart, after those of the last call. */
  drive(count: number): Promise<void>
  /** Lets the runner notice a change of settings. */
  look(): void
  /** Starts a runner. A second call starts another one, as a restart would. */
  start(): Runner
  /** Starts deliveries with leases, as a process does. */
  deliver(): Deliverer
}

const SLOTS = 8

function fail(error: unknown): never {
  throw error
}

/** The pauses of the runner advance the clock and take no time. `failed`: gets the failures that a test expects. */
export async function webhookTrial(
  t: TestContext,
  tls: { cert: Buffer; key: Buffer },
  settings: Partial<WebhookSettings> = {},
  failed: (error: unknown) => void = fail,
  answerWithinMs = 10_000,
): Promise<WebhookTrial> {
  const { store, folder, cleanUp } = await temporaryStore()
  const clock = handedClock(NOW * 1_000)
  const realtime = openMemoryRealtime(folder, clock)
  const directory = await openDirectory(store, realtime.snapshots, clock)
  const receiver = await openReceiver(tls)
  const changeWatch = new ChangeWatch(store, fail)
  const sender = openSender({
    isReachable: reachableUnless(['127.0.0.1/32']),
    ca: tls.cert,
    resolve: async () => ['127.0.0.1'],
    answerWithinMs,
  })
  const slots = openDeliverySlots(SLOTS)
  const organization = await newOrganization(store)
  const object = await newObject(store, organization)
  const deployment = await store.secret()
  const secret = newWebhookSecret()
  const defaults = { url: receiver.url, ...WEBHOOK_DEFAULTS }
  const sealed = sealWebhookSecret(deployment, organization, secret)
  // A relay here has no credentials.
  const isRelay = settings.form !== undefined && settings.form !== 'changes'
  const newWebhook = { ...defaults, ...settings, secret: isRelay ? null : sealed }
  const { id: webhook } = await store.webhooks.create(organization, newWebhook, NOW)
  const tried: TriedDelivery[] = []
  const disclosures: (Disclosed & { webhook: number })[] = []
  const runners: Runner[] = []
  const deliverers: Deliverer[] = []
  let driven = 0

  const parts: RunnerParts = {
    ...{ store: store.webhooks, directory, changeWatch, clock, failed },
    pages: {
      views: store.changeLog,
      directory,
      records: store.records,
      pageRoom: openPageRoom(ROOM_OF_CHANGES),
      joinedChanges: new KeptJoinedChanges(),
      clock,
      secret: deployment,
      knownAddresses: null,
      quota: realtime.quota,
      disclosures: {
        answer: ({ id }, _, disclosed) => void disclosures.push({ webhook: id, ...disclosed }),
        rows: () => undefined,
      },
    },
    send: sender.send,
    slots,
    async wait(ms) {
      clock.advanceUs(ms * 1_000)
      await yieldToOthers()
    },
    isHeld: () => true,
    tried: (what) => void tried.push({ ...what, delivery: { ...what.delivery } }),
  }
  // The runner reads settings again after each change of the operator.
  const watch = store.watch(({ topic }) => {
    if (topic === 'webhooks' || topic === 'organization') runners.at(-1)?.notify()
  })
  t.after(async () => {
    for (const deliverer of deliverers) await deliverer.stop()
    for (const runner of runners) runner.stop()
    await Promise.all(runners.map((runner) => runner.ended))
    changeWatch.close()
    sender.close()
    watch.close()
    await directory.close()
    await receiver.close()
    await realtime.close()
    await cleanUp()
  })

  return {
    ...{ store, realtime, clock, receiver, slots, organization, object, webhook, secret, tried },
    disclosures,
    stored: { secret: sealed },
    async drive(count) {
      const fixes = Array.from({ length: count }, (_, i) => fixAt(NOW + (driven + i) * 1_000))
      driven += count
      await append(store, organization, object, fixes)
    },
    look() {
      void directory.catchUp()
      watch.catchUp()
    },
    deliver() {
      const deliverer = new Deliverer({ ...parts, store, directory, changeWatch, close() {} })
      deliverers.push(deliverer)
      return deliverer
    },
    start() {
      const runner = new Runner(parts, organization, webhook, new AbortController().signal)
      runners.push(runner)
      return runner
    },
  }
}
