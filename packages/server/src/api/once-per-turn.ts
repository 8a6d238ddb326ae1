/**
 * Runs a check once for all requests of one turn of the event loop. All of them had arrived before the
 * turn read the first, so the check sees everything committed before any of them was sent. Asking the
 * store takes seven system calls.
 */
export function oncePerTurn<Result>(check: () => Result): () => Result {
  let made: { result: Result } | undefined
  return () => {
    if (made === undefined) {
      made = { result: check() }
      setImmediate(() => {
        made = undefined
      })
    }
    return made.result
  }
}
