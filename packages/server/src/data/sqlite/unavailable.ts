import { setTimeout as pause } from 'node:timers/promises'
import { StoreUnavailable } from '../../engine/store/store.ts'

/**
 * Primary result codes of SQLite (https://sqlite.org/rescode.html) that do not come from a wrong
 * statement.
 */
const BUSY = 5
const LOCKED = 6
const DAMAGED = 11
const NO_DATABASE = 26
const OUTAGES = new Map([
  [BUSY, 'another process is writing to the database and did not finish in time'],
  [LOCKED, 'another statement holds the database locked'],
  [7, 'there is not enough memory'],
  [8, 'the database file or its folder cannot be written'],
  [10, 'the disk failed to read or write'],
  [
    DAMAGED,
    'the database file is damaged; restart the server, and if that does not help, restore it from a backup',
  ],
  [13, 'the disk is full'],
  [14, 'the database file cannot be opened'],
  [
    NO_DATABASE,
    'the file is not a database; restart the server, and if that does not help, restore it from a backup',
  ],
])

/** Maps an error for the store's callers: an outage becomes `StoreUnavailable`, any other error stays. */
export function asUnavailable(error: unknown): unknown {
  if ((error as { code?: unknown }).code === 'ERR_INVALID_STATE') {
    return new StoreUnavailable('The store is closed.', { cause: error })
  }
  const code = primaryCode(error)
  const outage = code === undefined ? undefined : OUTAGES.get(code)
  if (outage === undefined) return error
  return new StoreUnavailable(`The store cannot answer: ${outage}.`, { cause: error })
}

/** Does work, and throws an outage as `StoreUnavailable`. */
export function orUnavailable<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw asUnavailable(error)
  }
}

/** For damage that SQLite itself does not notice. */
export function damaged(cause?: unknown): StoreUnavailable {
  return new StoreUnavailable(`The store cannot answer: ${OUTAGES.get(DAMAGED)}.`, { cause })
}

/** Whether another connection holds a lock that the statement needed. */
export function isBusy(error: unknown): boolean {
  return primaryCode(error) === BUSY
}

/** Whether the database is damaged, or the file is not a database. `error` comes from `asUnavailable`. */
export function isDamage(error: unknown): boolean {
  const code = error instanceof StoreUnavailable ? primaryCode(error.cause) : undefined
  return code === DAMAGED || code === NO_DATABASE
}

/** The lowest byte of an extended result code is the primary code. */
function primaryCode(error: unknown): number | undefined {
  const { code, errcode } = Object(error) as { code?: unknown; errcode?: unknown }
  return code === 'ERR_SQLITE_ERROR' && typeof errcode === 'number' ? errcode & 0xff : undefined
}

/** How long a writer waits for its turn while others write. */
const WRITER_PATIENCE_MS = 30_000
const WRITER_PAUSE_MS = 3

/**
 * Repeats an action that needs a lock, while another connection holds it, without holding the event loop.
 */
export async function retryWhileBusy(attempt: () => void): Promise<void> {
  const giveUpAt = performance.now() + WRITER_PATIENCE_MS
  for (;;) {
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error) || performance.now() >= giveUpAt) throw asUnavailable(error)
    }
    await pause(WRITER_PAUSE_MS)
  }
}
