/**
 * A check that is made once for all requests of one turn of the event loop. They had all arrived
 * before the turn read the first of them, so a check made then sees whatever was done before any of
 * them was sent; and asking the store costs seven system calls.
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
