/** How many connections a process that serves opens at most, by their use. It works with one for each use. */
export const POOL_SIZES = {
  writes: 10,
  /** From each server, the primary and its replicas. */
  reads: 6,
  changes: 1,
  /** Of the last two, one under way and one waiting. */
  quotaCounts: 2,
  statesCounts: 2,
} as const
