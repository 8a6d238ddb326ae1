import type { Directory } from '../cache/directory.ts'
import type { ChangeWatch, WaitingReader } from '../changes/change-watch.ts'
import type { Page } from '../changes/page.ts'
import type { Organization } from '../domain/organization.ts'
import type { Clock } from '../domain/time/clock.ts'
import {
  type Delivery,
  MAX_FAILING_MS,
  type NewDelivery,
  pendingOf,
  type Webhook,
} from '../domain/webhook.ts'
import type { WebhookStore } from '../store/webhook-store.ts'
import type { Wait } from '../tasks/wait.ts'
import type { DeliverySlots } from './delivery-slots.ts'
import { emptyDelivery, signedMessage } from './message.ts'
import { type NextPage, nextPage, type WebhookPages } from './next-page.ts'
import { LONGEST_PAUSE_MS, pauseAfter } from './pauses.ts'
import type { Sender, Sent } from './sender.ts'

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

export type Runner = {
  /** Reads settings and wishes again, which may have changed. */
  ring(): void
  /** Resolves when the webhook was deleted, or the runner was stopped and its last try has ended. */
  readonly ended: Promise<void>
  stop(): void
}

/** The pause after a failure of the store or of the quota. */
const AFTER_FAILURE_MS = 5_000
/** A cursor that moved without a delivery is stored this often, so that it stays valid. */
const KEEP_CURSOR_EVERY_MS = 3_600_000

/** The next deed of a runner: go on at once, after a time, after a change, or when it is rung; or end. */
type Next = 'at once' | 'when rung' | 'end' | { afterMs: number } | AfterChange
type AfterChange = Pick<WaitingReader, 'known' | 'takesRecords'>

type State = {
  webhook: Webhook
  newest: Delivery | null
  /** Whether the last page said that there is more, so that an empty one tells that there is not. */
  hadMore: boolean
  cursorKeptAt: number
}

/** Delivers to one webhook, in order, until it is stopped. `cut` aborts a try under way. */
export function startRunner(
  parts: RunnerParts,
  organization: number,
  id: number,
  cut: AbortSignal,
): Runner {
  const { store, clock } = parts
  const stopping = new AbortController()
  let isRung = false
  /** After a failure: what is stored may differ from what is in memory. */
  let mustRead = true
  let wake = new AbortController()
  let state: State | null = null
  let wasPaused = false

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      wake = new AbortController()
      const next = await step().catch((error): Next => {
        parts.failed(error)
        mustRead = true
        return { afterMs: AFTER_FAILURE_MS }
      })
      if (next === 'end') return
      await until(next)
    }
  }

  async function step(): Promise<Next> {
    if (isRung || mustRead || state === null) {
      isRung = false
      mustRead = false
      state = await readState()
      if (state === null) return 'end'
      await sendWanted(state)
    }
    const owner = await parts.directory.organization(organization)
    if (owner === null) return 'end'
    if (state.webhook.offAt !== null) return 'when rung'
    if (owner.subscription !== 'active') {
      wasPaused = true
      return 'when rung'
    }
    if (!parts.isHeld(organization)) return { afterMs: AFTER_FAILURE_MS }
    const pending = pendingOf(state.newest)
    return pending === null ? addNext(state, owner) : tryPending(state, pending)
  }

  async function readState(): Promise<State | null> {
    const webhook = await store.find(organization, id)
    if (webhook === null) return null
    const newest = await store.newest(organization, id)
    const { hadMore = false, cursorKeptAt = clock.now() } = state ?? {}
    // The cursor in memory may be ahead of the stored one.
    const isSame = newest !== null && newest.number === state?.newest?.number
    const cursor = isSame ? state!.newest!.cursor : newest?.cursor
    return {
      webhook,
      newest: newest && { ...newest, cursor: cursor ?? null },
      hadMore,
      cursorKeptAt,
    }
  }

  /** Sends tests, and deliveries that the operator wants again, once each. */
  async function sendWanted({ webhook, newest }: State): Promise<void> {
    for (const delivery of await store.wanted(organization, id)) {
      const result = await send(webhook, delivery)
      if (result === null) return
      const { sent, ...tried } = result
      const isDelivered = sent.failure === null
      // It stays wanted, for the process that delivers next.
      if (cut.aborted && !isDelivered) return
      const { failingSince, nextTryAt } = delivery
      const still = isDelivered ? NOT_FAILING : { failingSince, nextTryAt }
      await store.note(organization, id, delivery.number, {
        ...sent,
        ...tried,
        ...still,
        isDelivered,
      })
      parts.tried({ webhook, delivery, sent, isSwitchedOff: false, ...tried })
      if (isDelivered && newest?.number === delivery.number) newest.deliveredAt ??= tried.triedAt
    }
  }

  /** Null if the delivery must not be sent now: while it waited for a slot, the settings may have changed. */
  async function send(webhook: Webhook, delivery: Delivery) {
    const free = await parts.slots.take(organization, wake.signal)
    if (free === null) return null
    try {
      if (stopping.signal.aborted || !parts.isHeld(organization)) return null
      const triedAt = clock.now()
      const startedUs = clock.monotonic()
      const { headers, body } = await signedMessage(parts.pages.secret, webhook, delivery, triedAt)
      const sent = await parts.send(webhook.url, headers, body, cut)
      return { sent, triedAt, durationMs: Math.round((clock.monotonic() - startedUs) / 1_000) }
    } finally {
      free()
    }
  }

  async function tryPending(of: State, pending: Delivery): Promise<Next> {
    const { webhook } = of
    const waitMs = wasPaused ? 0 : (pending.nextTryAt ?? 0) - clock.now()
    // A longer wait was computed before the clock was set back.
    if (waitMs > 0 && waitMs <= LONGEST_PAUSE_MS) return { afterMs: waitMs }
    const result = await send(webhook, pending)
    if (result === null)
      return parts.isHeld(organization) ? 'at once' : { afterMs: AFTER_FAILURE_MS }
    const { sent, triedAt, durationMs } = result
    // It is tried again by the process that delivers next.
    if (cut.aborted && sent.failure !== null) return 'end'
    const isDelivered = sent.failure === null
    const since = (wasPaused ? null : pending.failingSince) ?? triedAt
    wasPaused = false
    const isSwitchedOff = !isDelivered && triedAt - since >= MAX_FAILING_MS
    const again = { failingSince: since, nextTryAt: clock.now() + pauseAfter(triedAt - since) }
    const failing = isDelivered
      ? NOT_FAILING
      : isSwitchedOff
        ? { ...again, nextTryAt: null }
        : again
    const tried = { ...sent, triedAt, durationMs, ...failing, isDelivered }
    await store.note(organization, id, pending.number, tried)
    Object.assign(pending, failing, { deliveredAt: isDelivered ? triedAt : null })
    if (isSwitchedOff) await switchOff(of)
    parts.tried({ webhook, delivery: pending, sent, durationMs, isSwitchedOff })
    return 'at once'
  }

  async function switchOff(of: State): Promise<void> {
    const now = clock.now()
    const off = { offAt: now, offReason: 'failing' } as const
    await store.update(organization, id, off, now)
    Object.assign(of.webhook, off)
  }

  async function addNext(of: State, owner: Organization): Promise<Next> {
    const { webhook, newest } = of
    if (webhook.restarts && newest !== null) {
      return add(of, await emptyDelivery('resync', clock.now()))
    }
    const cursor = newest?.cursor ?? null
    // The first page is sent even if it is empty: its cursor has to be kept.
    const isDue = ({ hasMore }: Page) => cursor === null || (of.hadMore && !hasMore)
    const next = await nextPage(parts.pages, owner, webhook, cursor, isDue)
    if (next.is === 'gone') return 'end'
    if (next.is === 'expired') return add(of, await emptyDelivery('resync', clock.now()))
    if (next.is === 'nothing') return moveOn(of, next)
    of.hadMore = next.hasMore
    return add(of, next.delivery, next.giveBack)
  }

  /** Stores the next delivery, which is then pending. `giveBack` returns its charge if it is not stored. */
  async function add(
    of: State,
    delivery: NewDelivery,
    giveBack: () => Promise<void> = async () => undefined,
  ): Promise<Next> {
    if (!parts.isHeld(organization)) {
      await giveBack()
      return { afterMs: AFTER_FAILURE_MS }
    }
    try {
      const added = await store.add(organization, id, of.newest?.number ?? 0, delivery)
      if (added === null) {
        // Another process has delivered meanwhile, or the webhook was deleted.
        isRung = true
        await giveBack()
        return 'at once'
      }
      of.newest = added
      of.cursorKeptAt = clock.now()
      if (added.kind === 'resync') of.webhook.restarts = false
      return 'at once'
    } catch (error) {
      await giveBack()
      throw error
    }
  }

  /** Waits for a change, behind those that the webhook does not select. */
  async function moveOn(
    of: State,
    { cursor, hasMore, upTo, takesRecords }: Extract<NextPage, { is: 'nothing' }>,
  ): Promise<Next> {
    of.newest!.cursor = cursor
    const now = clock.now()
    if (now - of.cursorKeptAt >= KEEP_CURSOR_EVERY_MS) {
      await store.advance(organization, id, of.newest!.number, cursor)
      of.cursorKeptAt = now
    }
    return hasMore ? 'at once' : { known: upTo, takesRecords }
  }

  async function until(next: Exclude<Next, 'end'>): Promise<void> {
    const { signal } = wake
    if (next === 'at once' || isRung || stopping.signal.aborted) return
    if (next === 'when rung') return rung(signal)
    if ('afterMs' in next) return parts.wait(next.afterMs, signal)
    const reader = { ...next, wake: () => wake.abort() }
    parts.changeWatch.wait(organization, reader)
    await rung(signal)
    parts.changeWatch.leave(organization, reader)
  }

  const ended = run()
  return {
    ended,
    ring() {
      isRung = true
      wake.abort()
    },
    stop() {
      stopping.abort()
      wake.abort()
    },
  }
}

const NOT_FAILING = { failingSince: null, nextTryAt: null }

function rung(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
