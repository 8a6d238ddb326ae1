import { type KeyObject, randomBytes } from 'node:crypto'
import type { Clock } from '../../base/domain/time/time.ts'
import type { Directory } from '../../data/cache/directory.ts'
import type { Realtime } from '../../data/live/realtime.ts'
import type { SourceCounts } from '../../data/usage/disclosure-counts.ts'
import type { ChangeWatch } from '../../engine/changes/change-watch.ts'
import type { KeptJoinedChanges } from '../../engine/changes/joined-changes.ts'
import { repeat, thinnedFailures, waitUnlessAborted } from '../../engine/repeat.ts'
import type { ReaderViews } from '../../engine/store/change-log.ts'
import type { Change, Store } from '../../engine/store/store.ts'
import type { WebhookStore } from '../../engine/store/webhook-store.ts'
import type { Api } from '../../read/api.ts'
import { openPageRoom, ROOM_OF_CHANGES } from '../../read/rows/page-room.ts'
import { openDeliverySlots } from './delivery-slots.ts'
import { reachableIn, reachableUnless, resolverOf } from './resolve-addresses.ts'
import { Runner, type RunnerParts, type TriedDelivery } from './runner.ts'
import { openSender } from './sender.ts'

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
  /** Counts what deliveries show. */
  disclosures: SourceCounts
  directory: Directory
  changeWatch: ChangeWatch
  realtime: Realtime
  /** The secret of the deployment. */
  secret: KeyObject
  knownAddresses: Api['knownAddresses']
  clock: Clock
  logger: { line(members: string): void; error(fields: object, message: string): void }
  counts: WebhookCounts
  /** Networks to which deliveries may go in addition to the public internet, in CIDR notation. */
  allowedNetworks: readonly string[]
  /** Deliveries that may be under way at once. */
  maxDeliveries: number
}

/** Starts to deliver to webhooks. */
export function startWebhooks(services: WebhookServices): Deliverer {
  const { store, directory, realtime, secret, knownAddresses, clock, logger } = services
  const { views, joinedChanges, disclosures, changeWatch, counts, allowedNetworks, maxDeliveries } =
    services
  const failed = thinnedFailures((error) =>
    logger.error({ err: error }, 'webhooks cannot be delivered at the moment; retrying every 5 s'),
  )
  const sender = openSender({
    isReachable: reachableUnless(allowedNetworks),
    isAllowed: reachableIn(allowedNetworks),
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
      disclosures,
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

type DelivererParts = Omit<RunnerParts, 'isHeld' | 'store' | 'directory'> & {
  store: { webhooks: WebhookStore; watch: Store['watch'] }
  directory: Pick<Directory, 'organization' | 'catchUp'>
  /** Called when no delivery is under way any more. */
  close(): void
}

/** Settings that another process changed are noticed within this time. */
const LOOK_MS = 500
/** Another process takes over from a killed one within the sum of these. */
const LEASE_MS = 5_000
const RENEW_EVERY_MS = 1_500
/** A stopping process waits this long for answers. */
const STOP_WITHIN_MS = 3_000
const HOLDER_BYTES = 8

type Lease = { runners: Map<number, Runner>; isOutdated: boolean }

/**
 * Delivers to the webhooks of the organizations whose lease this process holds. Costs nothing noticeable while no
 * organization has a webhook.
 */
export class Deliverer {
  private readonly parts: DelivererParts
  private readonly runnerParts: RunnerParts
  private readonly webhooks: WebhookStore
  private readonly holder = randomBytes(HOLDER_BYTES).toString('hex')
  private readonly leased = new Map<number, Lease>()
  /** The organizations of runners that still have a try under way after their lease was lost. */
  private readonly leaving = new Map<Runner, number>()
  private readonly cut = new AbortController()
  /** The end of the leases, and when they are renewed, by the monotonic clock in milliseconds. */
  private heldUntil = 0
  private renewAt = 0
  private isNeeded = false
  private isOutdated = true
  private readonly watch: ReturnType<Store['watch']>
  private readonly looks: ReturnType<typeof repeat>

  /** Starts at once. */
  constructor(parts: DelivererParts) {
    this.parts = parts
    this.webhooks = parts.store.webhooks
    this.runnerParts = {
      ...parts,
      store: this.webhooks,
      isHeld: (organization) => this.leased.has(organization) && performance.now() < this.heldUntil,
    }
    this.watch = parts.store.watch((change) => this.noteChange(change))
    this.looks = repeat((signal) => this.look(signal), LOOK_MS, parts.failed)
  }

  /** Resolves when the deliveries under way have ended, after some seconds at most. */
  async stop(): Promise<void> {
    this.watch.close()
    await this.looks.stop()
    const leased = Array.from(this.leased.values(), ({ runners }) => [...runners.values()])
    const running = [...leased.flat(), ...this.leaving.keys()]
    const ended = Promise.all(running.map((runner) => runner.ended))
    for (const runner of running) runner.stop()
    const late = setTimeout(() => this.cut.abort(), STOP_WITHIN_MS)
    await ended
    clearTimeout(late)
    this.parts.close()
    if (this.leased.size > 0) await this.webhooks.release(this.holder).catch(this.parts.failed)
    this.leased.clear()
  }

  private noteChange({ organization, topic }: Change): void {
    if (topic === 'webhooks') this.isOutdated = true
    if (topic !== 'webhooks' && topic !== 'organization') return
    const lease = this.leased.get(organization)
    if (lease !== undefined) lease.isOutdated ||= topic === 'webhooks'
    for (const runner of lease?.runners.values() ?? []) runner.notify()
    // In a microtask: the writer of the change waits until this callback returns.
    if (topic === 'webhooks') queueMicrotask(() => this.looks.hurry())
  }

  private async look(signal: AbortSignal): Promise<void> {
    try {
      await this.parts.directory.catchUp()
      this.watch.catchUp()
    } catch (error) {
      // Without webhooks, no work here depends on the store. Other parts report its outage.
      if (this.leased.size > 0) throw error
      return
    }
    if (this.isOutdated) {
      this.isOutdated = false
      await this.readNeeded()
    }
    const isDue = this.isNeeded || this.leased.size > 0
    if (isDue && performance.now() >= this.renewAt) await this.renew()
    if (performance.now() >= this.heldUntil)
      for (const organization of this.leased.keys()) this.leave(organization)
    for (const [organization, lease] of this.leased)
      await this.startMissing(organization, lease, signal)
  }

  private async readNeeded(): Promise<void> {
    try {
      this.isNeeded = (await this.webhooks.organizations()).length > 0
      this.renewAt = 0
    } catch (error) {
      this.isOutdated = true
      throw error
    }
  }

  private async renew(): Promise<void> {
    const from = performance.now()
    const organizations = new Set(await this.webhooks.lease(this.holder, LEASE_MS))
    this.heldUntil = from + LEASE_MS
    this.renewAt = from + RENEW_EVERY_MS
    for (const organization of this.leased.keys())
      if (!organizations.has(organization)) this.leave(organization)
    for (const organization of organizations) {
      if (!this.leased.has(organization))
        this.leased.set(organization, { runners: new Map(), isOutdated: true })
    }
  }

  private async startMissing(
    organization: number,
    lease: Lease,
    signal: AbortSignal,
  ): Promise<void> {
    if (!lease.isOutdated || signal.aborted) return
    // A webhook has one try at a time, also if its lease is lost and returns.
    if (this.leaving.values().some((each) => each === organization)) return
    lease.isOutdated = false
    try {
      for (const { id } of await this.webhooks.list(organization)) {
        if (lease.runners.has(id) || signal.aborted || this.leased.get(organization) !== lease)
          continue
        const runner = new Runner(this.runnerParts, organization, id, this.cut.signal)
        lease.runners.set(id, runner)
        void runner.ended.then(() => lease.runners.delete(id))
      }
    } catch (error) {
      lease.isOutdated = true
      throw error
    }
  }

  private leave(organization: number): void {
    for (const runner of this.leased.get(organization)?.runners.values() ?? []) {
      runner.stop()
      this.leaving.set(runner, organization)
      void runner.ended.then(() => this.leaving.delete(runner))
    }
    this.leased.delete(organization)
  }
}
