/**
 * The rate window of an organization: the contract's `requests` in any `seconds`. The operator may give an organization
 * another number of requests, up to `maxRequests`: a request reads and writes the log of its window in Redis whole, 16
 * bytes for each that counts, and a process keeps 8 bytes for each. The seconds are the same for all organizations. A log
 * then has all requests that count, whatever its organization was allowed before.
 */
export const RATE_WINDOW = { requests: 10, seconds: 10, maxRequests: 1_000 } as const

/** The streams that an organization may hold at once, over all processes. */
export const MAX_STREAMS = 10

/** The bytes of a file that an import over the admin API takes: enough for a fleet's whole catalogue. */
export const MAX_FILE_BYTES = 64 * 1024 * 1024
