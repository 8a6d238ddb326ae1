/** Visits in the order of the waypoints and of time. A waypoint is known by its place in that order. */
type Chain = { readonly waypoint: number; readonly length: number; readonly before: Chain | null }

const WORD_BITS = 32

/** Finds the longest chain of visits in which waypoints and times ascend. */
export class VisitOrder {
  /**
   * The longest chain that ends at each range of waypoints: entry n is that of as many waypoints up to n as its lowest
   * bit says (P. M. Fenwick, A New Data Structure for Cumulative Frequency Tables, 1994).
   */
  private readonly longest: (Chain | null)[]
  /** One bit for each waypoint: whether this position visits it, and the last one before that visited any. */
  private visited: Uint32Array
  private isAnyVisited = false
  private visitedBefore: Uint32Array

  constructor(waypoints: number) {
    this.longest = new Array(waypoints + 1).fill(null)
    this.visited = new Uint32Array(Math.ceil(waypoints / WORD_BITS))
    this.visitedBefore = this.visited.slice()
  }

  /** Notes that the position visits a waypoint. */
  note(waypoint: number): void {
    this.isAnyVisited = true
    this.visited[waypoint >> 5]! |= 1 << (waypoint & 31)
  }

  /** Ends the position. */
  *end(): Generator<void, void> {
    const { visited, visitedBefore } = this
    // Waypoints of the last position with any have the longest chains still.
    if (!this.isAnyVisited) return
    this.isAnyVisited = false
    // No chain grows by waypoints that were also visited then.
    if (visited.some((word, index) => (word & ~visitedBefore[index]!) !== 0)) {
      for (let index = 0; index < visited.length; index += 1) {
        for (let word = visited[index]!; word !== 0; word &= word - 1) {
          this.extend(index * WORD_BITS + 31 - Math.clz32(word & -word))
        }
        yield
      }
    }
    this.visitedBefore = visited
    this.visited = visitedBefore.fill(0)
  }

  /** The waypoints of the longest chain. */
  inOrder(): Set<number> {
    const found = new Set<number>()
    const all = this.longest.length - 1
    for (let chain = this.upTo(all); chain !== null; chain = chain.before) found.add(chain.waypoint)
    return found
  }

  private extend(waypoint: number): void {
    const before = this.upTo(waypoint)
    const chain = { waypoint, length: (before?.length ?? 0) + 1, before }
    for (let at = waypoint + 1; at < this.longest.length; at += at & -at) {
      if (isBetter(chain, this.longest[at]!)) this.longest[at] = chain
    }
  }

  /** The longest chain that ends at one of the first `count` waypoints: of several, that of the earliest waypoint. */
  private upTo(count: number): Chain | null {
    let best: Chain | null = null
    for (let at = count; at > 0; at -= at & -at) {
      const chain = this.longest[at]!
      if (chain !== null && isBetter(chain, best)) best = chain
    }
    return best
  }
}

function isBetter(chain: Chain, other: Chain | null): boolean {
  if (other === null || chain.length > other.length) return true
  return chain.length === other.length && chain.waypoint < other.waypoint
}
