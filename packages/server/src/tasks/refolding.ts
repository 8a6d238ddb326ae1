import type { FoldRules } from '../domain/position/fold-state.ts'
import type { Clock } from '../domain/time/time.ts'
import type { PositionStore, Refolded, RefoldSubject } from '../store/position-store.ts'
import type { Store } from '../store/store.ts'
import { packableBefore } from './packing.ts'
import { type Repeated, repeat } from './repeat.ts'
import { type Wait, waitUnlessAborted } from './wait.ts'

/** How often the loop looks for work. A look takes about 1 µs. */
const EVERY_MS = 500
/** The pause between slices of some milliseconds. Requests and packets get most of the time. */
const PAUSE_MS = 5

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
  async function refoldAll(signal: AbortSignal): Promise<void> {
    while (!signal.aborted && (await refold(null)) !== null) {
      await wait(PAUSE_MS, signal)
    }
  }
  return repeat(refoldAll, EVERY_MS, failed, wait)
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
    const isOther = slice?.organization !== unpacked?.organization
    if (unpacked !== null && (isOther || unpacked.positions >= PACK_POSITIONS)) {
      await pack(unpacked)
      unpacked = null
    }
    if (slice !== null) unpacked = withSlice(unpacked, slice)
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
