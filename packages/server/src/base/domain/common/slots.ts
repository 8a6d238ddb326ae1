import type { Steps } from './steps.ts'

/** A limited number of slots for long work in this process, which holders share: organizations, or networks. */
export type Slots<Holder = number> = {
  /**
   * Resolves when it is the holder's turn, with a function that frees the slot. Rejects with the signal's reason if
   * the signal aborts before a slot is free.
   */
  take(holder: Holder, gone: AbortSignal): Promise<() => void>
}

/**
 * Holders take turns: each free slot goes to the next one that waits and has less than its share. So a holder with
 * much or slow work delays only its own.
 */
export function openSlots<Holder = number>(inAll: number, ofOne: number): Slots<Holder> {
  const taken = countShares<Holder>()
  /** In the order of their turns. */
  const waiting = new Map<Holder, Set<() => void>>()

  function grantNext(): void {
    for (const [holder, grants] of waiting) {
      if (taken.sum === inAll) return
      if (taken.of(holder) >= ofOne) continue
      const [grant] = grants
      leave(holder, grant!)
      // Other waiters of this holder queue up after all waiting holders.
      if (waiting.delete(holder)) waiting.set(holder, grants)
      taken.add(holder, 1)
      grant!()
    }
  }

  function leave(holder: Holder, grant: () => void): void {
    const grants = waiting.get(holder)!
    grants.delete(grant)
    if (grants.size === 0) waiting.delete(holder)
  }

  function free(holder: Holder): void {
    taken.add(holder, -1)
    grantNext()
  }

  return {
    take(holder, gone) {
      return new Promise((resolve, reject) => {
        const grant = () => {
          gone.removeEventListener('abort', giveUp)
          resolve(() => free(holder))
        }
        const giveUp = () => {
          leave(holder, grant)
          reject(gone.reason)
        }
        gone.addEventListener('abort', giveUp)
        const grants = waiting.get(holder) ?? new Set()
        waiting.set(holder, grants.add(grant))
        grantNext()
        if (gone.aborted && waiting.get(holder)?.has(grant)) giveUp()
      })
    },
  }
}

/** Runs work when it is its holder's turn. `gone` ends the wait with its reason. */
export type InTurn<Holder = number> = <Result>(
  holder: Holder,
  work: () => Promise<Result>,
  gone?: AbortSignal,
) => Promise<Result>

/** `rest`: the pause after each task in its slot, as a share of the time that the task took. */
export function openTurns<Holder = number>(inAll: number, ofOne: number, rest = 0): InTurn<Holder> {
  const slots = openSlots<Holder>(inAll, ofOne)
  return async (holder, work, gone = NEVER) => {
    gone.throwIfAborted()
    const free = await slots.take(holder, gone)
    const begun = performance.now()
    try {
      return await work()
    } finally {
      if (rest === 0) free()
      else setTimeout(free, rest * (performance.now() - begun))
    }
  }
}

const NEVER = new AbortController().signal

/** The shares of a limited resource: of each holder, and of all holders together. */
export type Shares<Holder> = {
  of(holder: Holder): number
  readonly sum: number
  /** A holder whose share is 0 takes no memory. */
  add(holder: Holder, change: number): void
  /** The holders with a share. */
  readonly holders: number
}

export function countShares<Holder>(): Shares<Holder> {
  const byHolder = new Map<Holder, number>()
  let sum = 0

  return {
    of: (holder) => byHolder.get(holder) ?? 0,
    get sum() {
      return sum
    },
    add(holder, change) {
      sum += change
      const share = (byHolder.get(holder) ?? 0) + change
      if (share === 0) byHolder.delete(holder)
      else byHolder.set(holder, share)
    },
    get holders() {
      return byHolder.size
    },
  }
}

/**
 * Runs work with the same number one after the other, so that what it read still holds when it writes.
 */
export type OneAfterAnother = <Result>(
  number: number,
  work: () => Promise<Result>,
) => Promise<Result>

export function oneAfterAnother(): OneAfterAnother {
  const last = new Map<number, Promise<unknown>>()

  return async (number, work) => {
    const mine = (last.get(number) ?? Promise.resolve()).then(work)
    const settled = mine.catch(() => {})
    last.set(number, settled)
    try {
      return await mine
    } finally {
      if (last.get(number) === settled) last.delete(number)
    }
  }
}

const waiting: (() => void)[] = []

/**
 * Resolves when it is this caller's turn. Each pass of the event loop serves one caller, in the order
 * asked. Long work runs one slice in each of its turns, so a short request waits for one slice, however
 * many long ones run at once.
 */
export function takeTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(giveTurn)
  })
}

function giveTurn(): void {
  waiting.shift()!()
  // Wait for another pass, so that the event loop first reads what has arrived.
  if (waiting.length > 0) setImmediate(giveTurn)
}

/**
 * Runs a check once for all requests of one turn of the event loop. All of them had arrived before the
 * turn read the first, so the check sees everything committed before any of them was sent. Asking
 * SQLite takes seven system calls.
 */
export function oncePerTick<Result>(check: () => Result): () => Result {
  let latest: { result: Result } | undefined
  return () => {
    if (latest === undefined) {
      latest = { result: check() }
      setImmediate(() => {
        latest = undefined
      })
    }
    return latest.result
  }
}

/** The length of one slice of long work. A short request waits for several slices. */
export const SLICE_MS = 1

/**
 * Runs the work in slices, and lets other work run in between. Short work runs at once. `ended` ends it with its
 * reason.
 */
export async function runInTurns<Result>(
  steps: Steps<Result>,
  ended?: AbortSignal,
): Promise<Result> {
  for (;;) {
    ended?.throwIfAborted()
    const sliceEnd = performance.now() + SLICE_MS
    do {
      const step = steps.next()
      if (step.done) return step.value
    } while (performance.now() < sliceEnd)
    await takeTurn()
  }
}
