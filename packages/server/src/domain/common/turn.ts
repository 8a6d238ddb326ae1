import type { Steps } from './steps.ts'

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

/** Others wait this long for one slice of a long work. A short request waits for several of them. */
export const SLICE_MS = 1

/** Does the work in slices, and lets others run in between. Short work is done at once. `ended` ends it with its reason. */
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
