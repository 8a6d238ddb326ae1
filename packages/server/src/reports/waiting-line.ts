/** Runs long work, some at a time in this process. The organizations that wait have their turns one after the other. */
export type WaitingLine = <Result>(
  organization: number,
  /** Ends the wait with its reason. */
  gone: AbortSignal,
  work: () => Promise<Result>,
) => Promise<Result>

/** The memory of a process holds so many reports at once, and those of one organization leave room for others. */
const AT_ONCE = 4
const OF_ORGANIZATION = 2

export function openWaitingLine(
  atOnce: number = AT_ONCE,
  ofOrganization: number = OF_ORGANIZATION,
): WaitingLine {
  const running = new Map<number, number>()
  /** The organization whose turn comes first is the first one. */
  const waiting = new Map<number, Set<() => void>>()
  let inAll = 0

  function count(organization: number, change: 1 | -1): void {
    inAll += change
    const own = (running.get(organization) ?? 0) + change
    if (own === 0) running.delete(organization)
    else running.set(organization, own)
  }

  function admit(): void {
    for (const [organization, line] of waiting) {
      if (inAll === atOnce) return
      if ((running.get(organization) ?? 0) === ofOrganization) continue
      const [begin] = line
      leave(organization, begin!)
      if (line.size > 0) {
        // After those of others.
        waiting.delete(organization)
        waiting.set(organization, line)
      }
      count(organization, 1)
      begin!()
    }
  }

  function leave(organization: number, begin: () => void): void {
    const line = waiting.get(organization)
    line?.delete(begin)
    if (line?.size === 0) waiting.delete(organization)
  }

  function turnOf(organization: number, gone: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const begin = () => {
        gone.removeEventListener('abort', end)
        resolve()
      }
      const end = () => {
        leave(organization, begin)
        reject(gone.reason)
      }
      gone.addEventListener('abort', end)
      const line = waiting.get(organization) ?? new Set()
      waiting.set(organization, line.add(begin))
      admit()
    })
  }

  return async (organization, gone, work) => {
    gone.throwIfAborted()
    await turnOf(organization, gone)
    try {
      return await work()
    } finally {
      count(organization, -1)
      admit()
    }
  }
}
