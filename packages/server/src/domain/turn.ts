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
