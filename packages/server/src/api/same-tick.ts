/**
 * Runs a check once for all requests of one turn of the event loop. All of them had arrived before the
 * turn read the first, so the check sees everything committed before any of them was sent. Asking the
 * store takes seven system calls.
 */
export function oncePerTick<Result>(check: () => Result): () => Result {
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

let leaving: Promise<void> | undefined

/**
 * Call when a request comes. Answers that are ready before the event loop has read all other requests are
 * then written together.
 */
export function awaitOthers(): void {
  leaving ??= new Promise((resolve) => {
    setImmediate(() => {
      leaving = undefined
      resolve()
    })
  })
}

/**
 * When the answers of this turn are written. Undefined: now. Each write wakes the reader at the other
 * end, and costs far less while that one is awake: together they cost half.
 */
export function whenOthersLeave(): Promise<void> | undefined {
  return leaving
}
