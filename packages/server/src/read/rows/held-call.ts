import { setTimeout as pause } from 'node:timers/promises'
import { sightOf } from '../../base/domain/key-scope.ts'
import { type Clock, systemClock } from '../../base/domain/time/time.ts'
import { clientGone } from '../../base/http/send-whole.ts'
import type { Call } from '../call.ts'
import {
  cursorExpired,
  type Refusal,
  subscriptionInactive,
  unauthorized,
  unavailable,
} from '../refusal.ts'

/*
 * Requests that the server holds until they can be answered.
 */

/** Answers that may wait in this process. Each holds the ids of the objects that it asks for. */
const MAX_WAITING = 500
/** Those of one organization: twice as many as the default window admits in the longest wait. */
const MAX_WAITING_OF_ONE = 50
/** All waits of a request together. */
const MAX_HELD_MS = 25_000

/** Pauses grow by a tenth of the wait so far, so that long waits need few looks. */
const MIN_PAUSE_MS = 50
const MAX_PAUSE_MS = 500

/** Looks until it has found enough, for at most `waitMs`, or until the signal aborts. */
export async function lookUntil<Found>(
  look: () => Promise<Found>,
  isEnough: (found: Found) => boolean,
  waitMs: number,
  clock: Pick<Clock, 'monotonic'> = systemClock,
  signal?: AbortSignal,
): Promise<Found> {
  const begunUs = clock.monotonic()
  for (;;) {
    const found = await look()
    const waited = (clock.monotonic() - begunUs) / 1_000
    if (isEnough(found) || waited >= waitMs || signal?.aborted) return found
    const pauseMs = Math.min(MIN_PAUSE_MS + waited / 10, MAX_PAUSE_MS, waitMs - waited)
    await pause(pauseMs, undefined, { signal }).catch(() => undefined)
  }
}

/**
 * As `lookUntil`, while the request may wait. Rejects if the client has gone. A refusal if its access has ended or
 * changed meanwhile.
 */
export async function holdUntil<Found>(
  call: Call,
  look: () => Promise<Found>,
  isEnough: (found: Found) => boolean,
  waitMs = MAX_HELD_MS,
): Promise<Found | Refusal> {
  const { api, organization, request } = call
  const { changeWatch, clock, waiting } = api
  const first = await look()
  const isFull = waiting.sum >= MAX_WAITING || waiting.of(organization.id) >= MAX_WAITING_OF_ONE
  if (isEnough(first) || isFull) return first
  const gone = clientGone(request.connection)
  const heldMs = (clock.monotonic() - request.startedUs) / 1_000
  let lost: Refusal | undefined
  const lookAgain = async () => {
    lost = await lostAccess(call, true, unavailable(1))
    return look()
  }
  const isOver = (found: Found) => lost !== undefined || changeWatch.isReleased() || isEnough(found)
  waiting.add(organization.id, 1)
  try {
    const mostMs = Math.min(waitMs, MAX_HELD_MS - heldMs)
    const found = await lookUntil(lookAgain, isOver, mostMs, clock, gone)
    gone.throwIfAborted()
    return lost ?? found
  } finally {
    waiting.add(organization.id, -1)
  }
}

/**
 * The refusal for a request that was held while its key or its subscription ended, or its scope changed. Changes that were committed
 * afterwards are not for it.
 */
export async function lostAccess(
  { api, key, organization }: Call,
  takesPositions: boolean,
  ofOtherScope = cursorExpired,
): Promise<Refusal | undefined> {
  await api.catchUp()
  const found = api.directory.keys.find(key.hash, api.clock.now())
  if (found === undefined) return unauthorized.invalid
  if (sightOf(found.scope) !== sightOf(key.scope)) return ofOtherScope
  const current = await api.directory.organization(organization.id)
  if (current === null) return unauthorized.invalid
  const { subscription } = current
  if (subscription === 'active' || !takesPositions) return undefined
  return subscriptionInactive(subscription)
}
