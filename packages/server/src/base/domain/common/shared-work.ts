/** Work with a result that several callers wait for. */
export type SharedWork<Result> = {
  readonly result: Promise<Result>
  /** The result, or a rejection as soon as the caller has gone. */
  wait(gone: AbortSignal): Promise<Result>
}

/**
 * Starts the work. Its signal aborts when the last caller leaves before the work is done. `forget` is called just
 * before that, so that no other caller waits for it.
 */
export function sharedWork<Result>(
  work: (abandoned: AbortSignal) => Promise<Result>,
  forget: () => void,
): SharedWork<Result> {
  const abandoned = new AbortController()
  const result = work(abandoned.signal)
  let waiting = 0
  let isDone = false
  const done = () => {
    isDone = true
  }
  result.then(done, done)

  return {
    result,
    async wait(gone) {
      waiting += 1
      try {
        return await orGone(result, gone)
      } finally {
        waiting -= 1
        if (waiting === 0 && gone.aborted && !isDone) {
          forget()
          abandoned.abort(gone.reason)
        }
      }
    },
  }
}

async function orGone<Result>(result: Promise<Result>, gone: AbortSignal): Promise<Result> {
  gone.throwIfAborted()
  const leaving = Promise.withResolvers<never>()
  const leave = () => leaving.reject(gone.reason)
  gone.addEventListener('abort', leave)
  try {
    return await Promise.race([result, leaving.promise])
  } finally {
    gone.removeEventListener('abort', leave)
  }
}
