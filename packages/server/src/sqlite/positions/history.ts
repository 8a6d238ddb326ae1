import type { DatabaseSync } from 'node:sqlite'
import { takeTurn } from '../../domain/common/slots.ts'
import { DamagedRecord } from '../../domain/position/fix-record.ts'
import {
  type ColumnMemory,
  columnMemory,
  columnsOfRecords,
  type PositionColumns,
  timeIn,
} from '../../domain/position/position-columns.ts'
import type { TimeRange } from '../../domain/time/time.ts'
import type { History, PositionStore } from '../../store/position-store.ts'
import { type BlockMemory, blockMemory } from '../../store/positions/block.ts'
import { BLOCK_ROWS } from '../../store/positions/packing.ts'
import { StoreUnavailable } from '../../store/store.ts'
import { newestSequence } from '../changes.ts'
import type { Database } from '../database/database.ts'
import { damaged } from '../unavailable.ts'
import { type Span, stretchReader } from './stretch-reader.ts'

/** Rows counted by one statement. */
const COUNT_ROWS = 10_000

/**
 * Reads positions in short transactions. Each starts where the one before ended. None stays open
 * between them, so a slow reader never holds up a checkpoint. All reads of a request show the rows as
 * of one change. Rows of later changes are skipped.
 */
export function historyReader(database: Database): Pick<PositionStore, 'history' | 'count'> {
  const { reader } = database
  const newest = newestSequence(database.reader)
  const known = reader.prepare('SELECT 1 FROM objects WHERE organization = ? AND id = ?')
  const { readRows, countRows } = stretchReader(reader, seeingOneMoment(reader))
  const unseen = reader.prepare(`
    SELECT 1 FROM positions
    WHERE organization = ? AND object = ? AND time_device > ? AND time_device <= ? AND change <= ?
    ORDER BY time_device DESC LIMIT 1`)

  /** As many rows as a block mostly has: 0.2 ms, about 30 kB. */
  const read = (span: Span, memory: BlockMemory) =>
    database.read(() => readRows(span, BLOCK_ROWS, memory))
  const rows = rowCounter((span, atMost) => database.read(() => countRows(span, atMost)))

  function isKnown({ organization, object }: Span): boolean {
    return database.read(() => known.get(organization, object) !== undefined)
  }

  /**
   * Whether there are rows after the end, searched from the other side. If a disk put one page in place of another,
   * SQLite takes it for the end of the search.
   */
  function endsTooSoon({ organization, object, to, asOf }: Span, end: number): boolean {
    return database.read(() => unseen.get(organization, object, end, to, asOf) !== undefined)
  }

  async function* blocks(span: Span): AsyncGenerator<PositionColumns> {
    const [memory, blocks] = [columnMemory(), blockMemory()]
    let { after } = span
    for (; ; await takeTurn()) {
      const { rows, last, isEnd } = read({ ...span, after }, blocks)
      if (rows !== null) {
        const columns = rows instanceof Uint8Array ? undamaged(rows, memory) : rows
        if (!isInOrder(columns, after)) throw damaged()
        yield columns
      }
      after = last ?? after
      if (isEnd) break
    }
    // The object was deleted. Its positions go slice by slice, so the read rows may have gaps.
    if (!isKnown(span)) throw new StoreUnavailable('The object was deleted while it was read.')
    if (endsTooSoon(span, after)) throw damaged()
  }

  return {
    async history(organization, object, range, limit): Promise<History> {
      const asOf = database.read(newest)
      const span: Span = { organization, object, ...halfOpen(range), asOf }
      if (!isKnown(span)) return { next: null, blocks: nothing() }
      const next = limit === null ? null : await rows.endOfPage(span, limit)
      return { next, blocks: blocks({ ...span, to: next ?? span.to }) }
    },
    async count(organization, object, range, atMost) {
      const span = { organization, object, ...halfOpen(range), asOf: database.read(newest) }
      return isKnown(span) ? rows.count(span, atMost) : 0
    },
  }
}

/** Walks over the rows of a span, a slice in each turn. `count` counts the shown rows of a slice. */
function rowCounter(count: ReturnType<typeof stretchReader>['countRows']) {
  /** The time of row number `limit`, if there are shown rows after it. */
  async function endOfPage(span: Span, limit: number): Promise<number | null> {
    let { after } = span
    for (let missing = limit; missing > 0; ) {
      const { shown, last, isEnd } = count({ ...span, after }, Math.min(missing, COUNT_ROWS))
      missing -= shown
      if (isEnd) return null
      after = last!
      if (missing > 0) await takeTurn()
    }
    return (await anyShown({ ...span, after })) ? after : null
  }

  async function anyShown(span: Span): Promise<boolean> {
    let { after } = span
    for (let atMost = 1; ; atMost = COUNT_ROWS) {
      const { shown, last, isEnd } = count({ ...span, after }, atMost)
      if (shown > 0) return true
      if (isEnd) return false
      after = last!
      await takeTurn()
    }
  }

  return {
    endOfPage,
    /** The number of shown rows, at most `atMost`. */
    async count(span: Span, atMost: number): Promise<number> {
      let counted = 0
      for (let { after } = span; ; await takeTurn()) {
        const { shown, last, isEnd } = count(
          { ...span, after },
          Math.min(atMost - counted, COUNT_ROWS),
        )
        counted += shown
        if (isEnd || counted >= atMost) return counted
        after = last!
      }
    },
  }
}

/** Runs reads in a transaction, so that no other connection writes between them. */
function seeingOneMoment(reader: DatabaseSync): <T>(work: () => T) => T {
  const begin = reader.prepare('BEGIN')
  const end = reader.prepare('COMMIT')
  return (work) => {
    begin.run()
    try {
      return work()
    } finally {
      end.run()
    }
  }
}

function halfOpen({ from, to }: TimeRange): { after: number; to: number } {
  return { after: Math.ceil(from) - 1, to }
}

async function* nothing(): AsyncGenerator<PositionColumns> {}

/** The columns of records whose lengths may be damaged. */
function undamaged(records: Uint8Array, memory: ColumnMemory): PositionColumns {
  try {
    return columnsOfRecords(records, memory)
  } catch (error) {
    throw error instanceof DamagedRecord ? damaged(error) : error
  }
}

/**
 * Whether the times of rows increase, the first one above `after`. They do not if a disk put one page of an object in
 * place of another, or changed a time. Costs 1 % of encoding them.
 */
export function isInOrder(columns: PositionColumns, after: number): boolean {
  let previous = after
  for (let row = 0; row < columns.rows; row += 1) {
    const time = timeIn(columns, row)
    if (time <= previous) return false
    previous = time
  }
  return true
}
