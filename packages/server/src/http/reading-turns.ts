/**
 * Bodies unpacked and read at once. Unpacking takes one of Node's four pool threads. The others stay free
 * for the store.
 */
const MAX_AT_ONCE = 2

/** Runs the work when it is its organization's turn. */
export type ReadingTurns = <Result>(
  organization: number,
  work: () => Promise<Result>,
) => Promise<Result>

/**
 * Organizations take turns. An organization that sends many bodies delays its own. Others wait for at most one of
 * them. `rest`: the time between two works, as a share of the time that the first one took.
 */
export function openReadingTurns(atOnce = MAX_AT_ONCE, rest = 0): ReadingTurns {
  /** In the order of the organizations' turns. */
  const waiting = new Map<number, (() => void)[]>()
  let free = atOnce

  function wait(organization: number): Promise<void> {
    return new Promise((resolve) => {
      const queue = waiting.get(organization)
      if (queue === undefined) waiting.set(organization, [resolve])
      else queue.push(resolve)
    })
  }

  function giveTurn(): void {
    const next = waiting.entries().next()
    if (next.done) {
      free += 1
      return
    }
    const [organization, queue] = next.value
    const begin = queue.shift()!
    waiting.delete(organization)
    // Put it at the end: others come before its next body.
    if (queue.length > 0) waiting.set(organization, queue)
    begin()
  }

  return async (organization, work) => {
    if (free > 0) free -= 1
    else await wait(organization)
    const begun = performance.now()
    try {
      return await work()
    } finally {
      if (rest === 0) giveTurn()
      else setTimeout(giveTurn, rest * (performance.now() - begun))
    }
  }
}
