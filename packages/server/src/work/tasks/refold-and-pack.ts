import type { FoldRules } from '../../base/domain/position/fold-state.ts'
import type { Clock } from '../../base/domain/time/time.ts'
import { type Repeated, repeat, type Wait, waitUnlessAborted } from '../../engine/repeat.ts'
import {
  PACK_AFTER_MS,
  type PackingCounts,
  type PositionStore,
  type Refolded,
  type RefoldSubject,
} from '../../engine/store/position-store.ts'
import type { Store } from '../../engine/store/store.ts'

/*
 * This file works on stored positions: it folds them again, and packs the old ones into blocks.
 */

/** How often the loop looks for work. A look takes about 1 µs. */
const LOOK_EVERY_MS = 500
/** The pause after a slice of some milliseconds. After a whole object it is half of the time that this took. */
const REFOLD_PAUSE_MS = 5

/**
 * Folds positions again, on request or after a late fix that changed too much at once. A store that fails
 * is asked again; `failed` gets the error.
 */
export function startRefolding(
  store: Store,
  rules: FoldRules,
  clock: Clock,
  failed: (error: unknown) => void,
  wait: Wait = waitUnlessAborted,
): Repeated {
  const refold = packingRefold(store.positions, rules, clock)
  let isRequested = false

  /** Positions that a version with other rules has folded are folded again. */
  async function requestNewRules(signal: AbortSignal): Promise<void> {
    for (const { id } of await store.organizations.list()) {
      if (signal.aborted) return
      await store.positions.requestNewRules(id, rules)
    }
    isRequested = true
  }

  async function refoldAll(signal: AbortSignal): Promise<void> {
    if (!isRequested) await requestNewRules(signal)
    while (!signal.aborted && (await store.positions.moveSlice(rules)) !== null) {
      await wait(REFOLD_PAUSE_MS, signal)
    }
    while (!signal.aborted && (await store.positions.eraseSlice(rules, clock.now())) !== null) {
      await wait(REFOLD_PAUSE_MS, signal)
    }
    for (let since = performance.now(); !signal.aborted; since = performance.now()) {
      if ((await refold(null)) === null) return
      await wait(Math.max(REFOLD_PAUSE_MS, (performance.now() - since) / 2), signal)
    }
  }
  return repeat(refoldAll, LOOK_EVERY_MS, failed, wait)
}

/** Positions that are folded before their rows are packed. */
const PACK_POSITIONS = 5_000

/** Slices of one organization whose rows are not packed yet. */
type Unpacked = { organization: number; first: number; last: number; positions: number }

/**
 * The `refold` of a store, for one caller after the other. A fold puts the rows of blocks back into the table of positions, in
 * PostgreSQL most of them into the default partition. So this packs them every few thousand, and a recompute of everything
 * needs no room for the rows of all blocks.
 */
export function packingRefold(
  positions: Pick<PositionStore, 'refold' | 'pack'>,
  rules: FoldRules,
  clock: Clock,
): (subject: RefoldSubject | null) => Promise<Refolded | null> {
  let unpacked: Unpacked | null = null

  async function pack({ organization, first, last }: Unpacked): Promise<void> {
    const before = packableBefore(clock)
    for (let after: number | null = first - 1; after !== null && after < last; ) {
      after = (await positions.pack(organization, before, after)).next
    }
  }

  return async (subject) => {
    const slice = await positions.refold(subject, rules)
    if (unpacked !== null && slice?.organization !== unpacked.organization) {
      await pack(unpacked)
      unpacked = null
    }
    if (slice !== null) unpacked = withSlice(unpacked, slice)
    if (unpacked !== null && unpacked.positions >= PACK_POSITIONS) {
      await pack(unpacked)
      unpacked = null
    }
    return slice
  }
}

function withSlice(unpacked: Unpacked | null, slice: Refolded): Unpacked {
  const { organization, object } = slice
  const { first = object, last = object, positions = 0 } = unpacked ?? {}
  return {
    organization,
    first: Math.min(first, object),
    last: Math.max(last, object),
    positions: positions + slice.positions,
  }
}

export function packableBefore(clock: Clock): number {
  return clock.now() - PACK_AFTER_MS
}

const PACK_EVERY_MS = 3_600_000
/** The pause between slices of some milliseconds. Requests and packets get most of the time. */
const PACK_PAUSE_MS = 20

/** A whole pass over all organizations. */
export type PackingPass = {
  /** The counts of each organization after it, by id. */
  counts: ReadonlyMap<number, PackingCounts>
  /** Objects that could not be packed. */
  failures: number
  /** Microseconds, and milliseconds since the epoch. */
  durationUs: number
  endedAt: number
}

/**
 * Packs the positions of all organizations that are older than two days, at once and every hour. If the store fails, the
 * next hour tries again; `failed` gets the error. `passed` gets each whole pass.
 */
export function startPacking(
  store: Store,
  clock: Clock,
  passed: (pass: PackingPass) => void,
  failed: (error: unknown) => void,
  wait: Wait = waitUnlessAborted,
): Repeated {
  /** Returns the number of failures. */
  async function pack(organization: number, signal: AbortSignal): Promise<number> {
    let failures = 0
    for (let next: number | null = 0; next !== null && !signal.aborted; ) {
      const slice = await store.positions.pack(organization, packableBefore(clock), next)
      if (slice.failure !== undefined) {
        failures += 1
        failed(slice.failure)
      }
      next = slice.next
      await wait(PACK_PAUSE_MS, signal)
    }
    return failures
  }

  async function packAll(signal: AbortSignal): Promise<void> {
    const beganUs = clock.monotonic()
    const counts = new Map<number, PackingCounts>()
    let failures = 0
    for (const { id } of await store.organizations.list()) {
      failures += await pack(id, signal)
      if (signal.aborted) return
      counts.set(id, await store.positions.packingCounts(id, packableBefore(clock)))
    }
    passed({ counts, failures, durationUs: clock.monotonic() - beganUs, endedAt: clock.now() })
  }
  return repeat(packAll, PACK_EVERY_MS, failed, wait)
}
