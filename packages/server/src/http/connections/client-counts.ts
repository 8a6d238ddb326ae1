/** Counts the open connections of each client. */
export type ClientCounts = {
  /**
   * Counts one more connection of a client. Returns a function to call once when it has closed, or null
   * if the client has as many connections as allowed.
   */
  open(client: string): (() => void) | null
  /** Clients with open connections. */
  readonly size: number
}

/** `limit`: connections of one client. */
export function countByClient(limit: number): ClientCounts {
  const counts = new Map<string, number>()

  function close(client: string): void {
    const left = counts.get(client)! - 1
    if (left === 0) counts.delete(client)
    else counts.set(client, left)
  }

  return {
    open(client) {
      const count = counts.get(client) ?? 0
      if (count >= limit) return null
      counts.set(client, count + 1)
      return () => close(client)
    },
    get size() {
      return counts.size
    },
  }
}
