/**
 * Runs a check once for all requests of one turn of the event loop. All of them had arrived before the
 * turn read the first, so the check sees everything committed before any of them was sent. Asking
 * SQLite takes seven system calls.
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
 * Call when a request comes. Holds answers until the event loop has read all other requests of this turn, so that
 * they can be written together.
 */
export function gatherAnswers(): void {
  leaving ??= new Promise((resolve) => {
    setImmediate(() => {
      leaving = undefined
      resolve()
    })
  })
}

/**
 * Resolves when the answers of this turn may be written. Undefined: now. Each write wakes the reader at the other end. A
 * write to a reader that is awake costs far less, so answers that are written together cost half.
 */
export function whenAnswersLeave(): Promise<void> | undefined {
  return leaving
}
