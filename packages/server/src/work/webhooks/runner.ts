import type { Organization } from '../../base/domain/organization.ts'
import type { Clock } from '../../base/domain/time/time.ts'
import {
  type Delivery,
  MAX_FAILING_MS,
  type NewDelivery,
  pendingOf,
  type Webhook,
} from '../../base/domain/webhook.ts'
import type { Directory } from '../../data/cache/directory.ts'
import type { ChangeWatch, WaitingReader } from '../../engine/changes/change-watch.ts'
import type { Page } from '../../engine/changes/page.ts'
import type { Wait } from '../../engine/repeat.ts'
import type { WebhookStore } from '../../engine/store/webhook-store.ts'
import { emptyDelivery, type NextPage, nextPage, type WebhookPages } from './deliveries.ts'
import { outgoingOf } from './delivery-messages.ts'
import type { DeliverySlots } from './delivery-slots.ts'
import type { Sender, Sent } from './outgoing.ts'

/** The facts of a try, for the log and the metrics. */
export type TriedDelivery = {
  webhook: Webhook
  delivery: Delivery
  sent: Sent
  durationMs: number
  /** Whether the webhook was switched off, because it failed for too long. */
  isSwitchedOff: boolean
}

export type RunnerParts = {
  store: WebhookStore
  directory: Pick<Directory, 'organization'>
  changeWatch: Pick<ChangeWatch, 'wait' | 'leave'>
  pages: WebhookPages
  send: Sender['send']
  slots: DeliverySlots
  clock: Clock
  wait: Wait
  /** Whether this process delivers for the organization now. */
  isHeld(organization: number): boolean
  tried(what: TriedDelivery): void
  failed(error: unknown): void
}

/** The pause after a failure of the store or of the quota. */
const AFTER_FAILURE_MS = 5_000

/** A cursor that moved without a delivery is stored this often, so that it stays valid. */
const KEEP_CURSOR_EVERY_MS = 3_600_000

/** The next step of a runner: at once, after a time, after a change, or when it is notified; or the end. */
type Next = 'at once' | 'when notified' | 'end' | { afterMs: number } | AfterChange

type AfterChange = Pick<WaitingReader, 'known' | 'takesRecords'>

type State = {
  webhook: Webhook
  newest: Delivery | null
  /** Whether the last page said that there is more, so that an empty one says that there is not. */
  hadMore: boolean
  cursorKeptAt: number
}

/** Delivers to one webhook, in order, until it is stopped. `cut` aborts a try under way. */
export class Runner {
  /** Resolves when the webhook was deleted, or the runner was stopped and its last try has ended. */
  readonly ended: Promise<void>
  private readonly parts: RunnerParts
  private readonly store: WebhookStore
  private readonly clock: Clock
  private readonly organization: number
  private readonly id: number
  private readonly cut: AbortSignal
  private readonly stopping = new AbortController()
  private isNotified = false
  /** After a failure: what is stored may differ from what is in memory. */
  private mustRead = true
  private mustSendWanted = true
  /** The message in order that was counted last. */
  private counted: string | null = null
  private wake = new AbortController()
  private state: State | null = null
  private wasPaused = false

  /** Starts at once. */
  constructor(parts: RunnerParts, organization: number, id: number, cut: AbortSignal) {
    this.parts = parts
    this.store = parts.store
    this.clock = parts.clock
    this.organization = organization
    this.id = id
    this.cut = cut
    this.ended = this.run()
  }

  /** Reads the settings, tests and requested retries again, which may have changed. */
  notify(): void {
    this.isNotified = true
    this.wake.abort()
  }

  stop(): void {
    this.stopping.abort()
    this.wake.abort()
  }

  private async run(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      this.wake = new AbortController()
      const next = await this.step().catch((error): Next => {
        this.parts.failed(error)
        this.mustRead = true
        return { afterMs: AFTER_FAILURE_MS }
      })
      if (next === 'end') return
      await this.until(next)
    }
  }

  private async step(): Promise<Next> {
    if (this.isNotified || this.mustRead || this.state === null) {
      this.isNotified = false
      this.mustRead = false
      this.state = await this.readState()
      if (this.state === null) return 'end'
      this.mustSendWanted = true
    }
    const owner = await this.parts.directory.organization(this.organization)
    if (owner === null) return 'end'
    if (owner.subscription !== 'active') {
      this.wasPaused = true
      return 'when notified'
    }
    if (this.mustSendWanted) {
      this.mustSendWanted = false
      await this.sendWanted(this.state)
    }
    if (this.state.webhook.offAt !== null) return 'when notified'
    if (!this.parts.isHeld(this.organization)) return { afterMs: AFTER_FAILURE_MS }
    const pending = pendingOf(this.state.newest)
    return pending === null ? this.addNext(this.state, owner) : this.tryPending(this.state, pending)
  }

  private async readState(): Promise<State | null> {
    const webhook = await this.store.find(this.organization, this.id)
    if (webhook === null) return null
    const newest = await this.store.newest(this.organization, this.id)
    const { hadMore = false, cursorKeptAt = this.clock.now() } = this.state ?? {}
    // The cursor in memory may be ahead of the stored one.
    const isSame = newest !== null && newest.message === this.state?.newest?.message
    const cursor = isSame ? this.state!.newest!.cursor : newest?.cursor
    return {
      webhook,
      newest: newest && { ...newest, cursor: cursor ?? null },
      hadMore,
      cursorKeptAt,
    }
  }

  /** Sends tests, and deliveries that the operator wants again, once each. */
  private async sendWanted({ webhook, newest }: State): Promise<void> {
    for (const delivery of await this.store.wanted(this.organization, this.id)) {
      const result = await this.send(webhook, delivery, 0)
      if (result === null) return
      const { sent, isDelivered, ...tried } = result
      // It stays wanted, for the process that delivers next.
      if (this.cut.aborted && !isDelivered) return
      const { failingSince, nextTryAt } = delivery
      const still = isDelivered ? NOT_FAILING : { failingSince, nextTryAt }
      await this.store.note(this.organization, this.id, delivery, {
        ...{ ...sent, ...tried, ...still, isDelivered },
      })
      this.count(webhook, delivery, sent)
      this.parts.tried({ webhook, delivery, sent, isSwitchedOff: false, ...tried })
      if (isDelivered && newest?.message === delivery.message) newest.deliveredAt ??= tried.triedAt
    }
  }

  /**
   * Sends what did not arrive yet. Null if the delivery must not be sent now: while it waited for a slot, the settings
   * may have changed.
   */
  private async send(webhook: Webhook, delivery: Delivery, before: number) {
    const free = await this.parts.slots.take(this.organization, this.wake.signal)
    if (free === null) return null
    try {
      if (this.stopping.signal.aborted || !this.parts.isHeld(this.organization)) return null
      const triedAt = this.clock.now()
      const startedUs = this.clock.monotonic()
      const { secret } = this.parts.pages
      const outgoing = await outgoingOf(secret, webhook, delivery, before, triedAt)
      const result = await this.parts.send(outgoing, this.cut, () => this.isNotified)
      const durationMs = Math.round((this.clock.monotonic() - startedUs) / 1_000)
      const { sent, isDelivered } = resultOf(webhook, delivery, before, result)
      return { sent, isDelivered, triedAt, durationMs }
    } finally {
      free()
    }
  }

  private async tryPending(current: State, pending: Delivery): Promise<Next> {
    const { webhook } = current
    const waitMs = this.wasPaused ? 0 : (pending.nextTryAt ?? 0) - this.clock.now()
    // A longer wait was computed before the clock was set back.
    if (waitMs > 0 && waitMs <= MAX_JITTERED_PAUSE_MS) return { afterMs: waitMs }
    const result = await this.send(webhook, pending, pending.arrived)
    if (result === null)
      return this.parts.isHeld(this.organization) ? 'at once' : { afterMs: AFTER_FAILURE_MS }
    const { sent, isDelivered, triedAt, durationMs } = result
    // It is tried again by the process that delivers next.
    if (this.cut.aborted && sent.failure !== null) return 'end'
    const isRefused = sent.failure !== null
    // A receiver that takes some of the entries does not fail all the time.
    const isSame = !this.wasPaused && sent.arrived === pending.arrived
    const since = (isSame ? pending.failingSince : null) ?? triedAt
    this.wasPaused = false
    const isSwitchedOff = isRefused && triedAt - since >= MAX_FAILING_MS
    const again = { failingSince: since, nextTryAt: this.clock.now() + pauseAfter(triedAt - since) }
    const failing = !isRefused ? NOT_FAILING : isSwitchedOff ? { ...again, nextTryAt: null } : again
    const tried = { ...sent, triedAt, durationMs, ...failing, isDelivered }
    await this.store.note(this.organization, this.id, pending, tried)
    this.countOnce(webhook, pending, sent)
    const { arrived } = sent
    Object.assign(pending, failing, { arrived, deliveredAt: isDelivered ? triedAt : null })
    if (isSwitchedOff) await this.switchOff(current)
    this.parts.tried({ webhook, delivery: pending, sent, durationMs, isSwitchedOff })
    return 'at once'
  }

  /** Counts what a delivery shows at the first try that the receiver answered. It may have kept what it refused. */
  private countOnce(webhook: Webhook, delivery: Delivery, sent: Sent): void {
    if (this.counted !== delivery.message && this.count(webhook, delivery, sent)) {
      this.counted = delivery.message
    }
  }

  private count(webhook: Webhook, { disclosed }: Delivery, { status, arrived }: Sent): boolean {
    const isReceived = status !== null || arrived > 0
    if (!isReceived || disclosed === null) return isReceived
    this.parts.pages.disclosures.answer(webhook, 'changes', disclosed)
    return true
  }

  private async switchOff(current: State): Promise<void> {
    const now = this.clock.now()
    const off = { offAt: now, offReason: 'failing' } as const
    await this.store.update(this.organization, this.id, off, now)
    Object.assign(current.webhook, off)
  }

  private async addNext(current: State, owner: Organization): Promise<Next> {
    const { webhook, newest } = current
    if (webhook.restarts) {
      return this.add(current, await emptyDelivery('resync', this.clock.now()))
    }
    const cursor = newest?.cursor ?? null
    // The first page is sent even if it is empty: its cursor has to be kept.
    const isDue = ({ hasMore }: Page) => cursor === null || (current.hadMore && !hasMore)
    const next = await nextPage(this.parts.pages, owner, webhook, cursor, isDue)
    if (next.is === 'gone') return 'end'
    if (next.is === 'expired')
      return this.add(current, await emptyDelivery('resync', this.clock.now()))
    if (next.is === 'nothing') return this.moveOn(current, next)
    current.hadMore = next.hasMore
    return this.add(current, next.delivery, next)
  }

  /** Stores the next delivery, which is then pending. */
  private async add(
    current: State,
    delivery: NewDelivery,
    { giveBack }: Charged = UNCHARGED,
  ): Promise<Next> {
    if (!this.parts.isHeld(this.organization)) {
      await giveBack()
      return { afterMs: AFTER_FAILURE_MS }
    }
    try {
      const added = await this.store.add(
        this.organization,
        this.id,
        current.newest?.number ?? 0,
        delivery,
      )
      if (added === null) {
        // Another process has delivered meanwhile, or the webhook was deleted.
        this.isNotified = true
        await giveBack()
        return 'at once'
      }
      current.newest = added
      current.cursorKeptAt = this.clock.now()
      if (added.kind === 'resync') current.webhook.restarts = false
      return 'at once'
    } catch (error) {
      await giveBack()
      throw error
    }
  }

  /** Waits for a change after those that the webhook does not select. */
  private async moveOn(
    current: State,
    { cursor, hasMore, upTo, takesRecords }: Extract<NextPage, { is: 'nothing' }>,
  ): Promise<Next> {
    current.newest!.cursor = cursor
    const now = this.clock.now()
    if (now - current.cursorKeptAt >= KEEP_CURSOR_EVERY_MS) {
      await this.store.advance(this.organization, this.id, current.newest!.number, cursor)
      current.cursorKeptAt = now
    }
    return hasMore ? 'at once' : { known: upTo, takesRecords }
  }

  private async until(next: Exclude<Next, 'end'>): Promise<void> {
    const { signal } = this.wake
    if (next === 'at once' || this.isNotified || this.stopping.signal.aborted) return
    if (next === 'when notified') return aborted(signal)
    if ('afterMs' in next) return this.parts.wait(next.afterMs, signal)
    const reader = { ...next, wake: () => this.wake.abort() }
    this.parts.changeWatch.wait(this.organization, reader)
    await aborted(signal)
    this.parts.changeWatch.leave(this.organization, reader)
  }
}

/** The result of a try, with all entries that arrived so far. One signed message has all its entries. */
function resultOf({ form }: Webhook, { entries }: Delivery, before: number, sent: Sent) {
  const arrived = form === 'changes' ? (sent.arrived > 0 ? entries : 0) : before + sent.arrived
  const isDelivered = sent.failure === null && arrived >= entries
  return { sent: { ...sent, arrived }, isDelivered }
}

/** Called when a delivery was not stored. */
type Charged = Pick<Extract<NextPage, { is: 'page' }>, 'giveBack'>

/** A delivery without data. */
const UNCHARGED: Charged = { giveBack: async () => undefined }

const NOT_FAILING = { failingSince: null, nextTryAt: null }

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

const MIN_PAUSE_MS = 5_000

const MAX_PAUSE_MS = 3_600_000

/** Webhooks that failed together are not tried again together. */
const JITTER_SHARE = 0.1

const MAX_JITTERED_PAUSE_MS = MAX_PAUSE_MS * (1 + JITTER_SHARE)

/**
 * The pause before the next try of a delivery that has failed for `failingMs`: as long again, from 5 seconds to an
 * hour. `random`: from 0 to 1.
 */
function pauseAfter(failingMs: number, random: number = Math.random()): number {
  const pause = Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, failingMs))
  return Math.round(pause * (1 + JITTER_SHARE * random))
}
