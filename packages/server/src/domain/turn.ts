const waiting: (() => void)[] = []

/**
 * Resolves when it is this caller's turn: one in each pass of the event loop, in the order asked. What
 * takes long does a slice of its work in each of its turns, so that however many do so at once, a short
 * request waits for one slice and not for one of each.
 */
export function takeTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(giveTurn)
  })
}

function giveTurn(): void {
  waiting.shift()!()
  // Another pass: what has arrived meanwhile is read before it.
  if (waiting.length > 0) setImmediate(giveTurn)
}
