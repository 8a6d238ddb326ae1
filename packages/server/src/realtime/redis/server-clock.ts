/**
 * What a server's clock shows, by the times that its replies told. A deadline that is made of it is
 * never late, however long the replies took: of the latest moment that the server can have meant and
 * the one that it meant for certain, this keeps to the latter.
 */
export type ServerClock = {
  /** A reply told `serverUs`; what it answers was sent and it came at these moments, in microseconds. */
  told(serverUs: number, sentUs: number, cameUs: number): void
  /** Microseconds, no later than what the server's clock shows `nowUs`. */
  at(nowUs: number): number
}

export function serverClock(): ServerClock {
  /** How far the server's clock is ahead of this process's, at the least. */
  let ahead = Number.NEGATIVE_INFINITY
  return {
    told(serverUs, sentUs, cameUs) {
      const atLeast = serverUs - cameUs
      const atMost = serverUs - sentUs
      // More than is possible: the server's clock was turned back, or runs slower.
      ahead = ahead > atMost ? atLeast : Math.max(ahead, atLeast)
    },
    at: (nowUs) => nowUs + ahead,
  }
}
