/**
 * The largest number of connections that a serving process opens, by their use. One for each use is
 * enough to work.
 */
export const POOL_SIZES = {
  writes: 10,
  /** To each server, the primary and its replicas. */
  reads: 6,
  changes: 1,
  /** For each of the last two, one under way and one waiting. */
  quotaCounts: 2,
  statesCounts: 2,
} as const
