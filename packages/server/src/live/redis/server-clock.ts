/**
 * Estimates a server's clock from the times in its replies. The estimate is never ahead of the server's
 * clock, however long the replies took, so that a deadline made of it is never too late.
 */
export type ServerClock = {
  /**
   * Takes the server's time in a reply, and when the request was sent and the reply came. Microseconds.
   */
  observe(serverUs: number, sentUs: number, cameUs: number): void
  /** The earliest time that the server's clock can show at `nowUs`, in microseconds. */
  at(nowUs: number): number
}

export function serverClock(): ServerClock {
  /** How far the server's clock is ahead of this process's clock, at least. */
  let ahead = Number.NEGATIVE_INFINITY
  return {
    observe(serverUs, sentUs, cameUs) {
      const atLeast = serverUs - cameUs
      const atMost = serverUs - sentUs
      // Impossible unless the server's clock was set back or runs slower: start again from this reply.
      ahead = ahead > atMost ? atLeast : Math.max(ahead, atLeast)
    },
    at: (nowUs) => nowUs + ahead,
  }
}
