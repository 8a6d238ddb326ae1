import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { PositionColumns } from '../../domain/position/position-columns.ts'
import type { BlockMemory } from '../../store/positions/block.ts'
import { blocksOf } from '../../store/positions/position-tables.ts'
import { shiftsOf as readShifts } from '../../store/positions/shifts.ts'
import {
  countRows,
  type ReadStretch as ReadBlock,
  readShown,
  type StoredBlock,
} from '../../store/positions/stored-blocks.ts'
import { type ShownRow, shownRecord } from '../../store/shown-positions.ts'
import { objectShifts } from '../../tracking/object-shifts.ts'
import { runAtOnce } from '../../tracking/work.ts'
import { fixedPlan } from '../database/database.ts'
import { sqlOf } from '../tables.ts'

/** The rows of one object that a read passed. */
type Stretch = {
  shown: number
  /** `time_device` of the last row. Null: there was none. */
  last: number | null
  /** Whether the range has no more rows. */
  isEnd: boolean
}

/** `rows`: fix records, or the columns of a block. Null: there are none. */
export type ReadRows = Stretch & { rows: Uint8Array | PositionColumns | null }

/**
 * A range of one object's positions, later than `after`: each read starts after the last row of the one before. `asOf`: the
 * number of the change as of which rows are shown.
 */
export type Span = {
  organization: number
  object: number
  after: number
  to: number
  asOf: number
}

/** The statements on the rows of a span that are in the table of positions. */
function stretchStatements(reader: DatabaseSync) {
  const passing = `
    FROM (
      SELECT time_device, change, hidden, fix FROM positions
      WHERE organization = ?1 AND object = ?2 AND time_device > ?3 AND time_device <= ?4
      ORDER BY time_device LIMIT ${fixedPlan('?6')}
    )`
  const isShown = '(change <= ?5 AND (hidden IS NULL OR hidden > ?5))'
  return {
    // SQLite joins the records of many rows, so that they cost one call instead of one for each row.
    joined: reader.prepare(`
      SELECT CAST(group_concat(fix, '') FILTER (WHERE ${isShown}) AS BLOB) AS records,
        count(*) FILTER (WHERE ${isShown}) AS shown, count(*) AS passed, max(time_device) AS last,
        EXISTS (SELECT 1 FROM counter_shifts WHERE organization = ?1 AND object = ?2) AS shifted
      ${passing}`),
    counted: reader.prepare(`
      SELECT count(*) FILTER (WHERE ${isShown}) AS shown,
        count(*) AS passed, max(time_device) AS last ${passing}`),
    rows: reader.prepare(`
      SELECT time_device AS time, fix, track FROM positions
      WHERE organization = ?1 AND object = ?2 AND time_device > ?3 AND time_device <= ?4 AND ${isShown}
      ORDER BY time_device`),
  }
}

/**
 * Reads and counts the next rows of a span: those of the table of positions, or else those of the next block. `seeingOneMoment`
 * runs the reads of a call in one transaction, because rows move into blocks, and shifts move when rows are rewritten.
 */
export function stretchReader(reader: DatabaseSync, seeingOneMoment: <T>(work: () => T) => T) {
  const { joined, counted, rows } = stretchStatements(reader)
  const sql = sqlOf(reader)
  const shiftsOf = (organization: number, object: number) =>
    objectShifts(runAtOnce(readShifts(sql, organization, object)))

  /** The rows before the next block, or the block if there are none. */
  function nextIn<Found extends Passed, Read extends ReadBlock>(
    span: Span,
    limit: number,
    statement: StatementSync,
    fromBlock: (block: StoredBlock) => Read,
  ): { table: Found & { isEnd: boolean } } | { block: Read & { isEnd: boolean } } {
    const { organization, object, after, to, asOf } = span
    const block = runAtOnce(blocksOf(sql, organization, object).next({ after, to }))
    const table = statement.get(
      ...[organization, object, after],
      ...[block === null ? to : block.first - 1, asOf, limit],
    ) as unknown as Found
    if (table.passed > 0 || block === null) {
      return { table: { ...table, isEnd: block === null && table.passed < limit } }
    }
    const read = fromBlock(block)
    return { block: { ...read, isEnd: block.last >= to && read.last === Math.min(block.last, to) } }
  }

  function shiftedRecords({ organization, object, after, asOf }: Span, last: number): Uint8Array {
    const shifts = shiftsOf(organization, object)
    const shown = rows.all(organization, object, after, last, asOf) as ShownRow[]
    return Buffer.concat(shown.map((row) => shownRecord(row, shifts)))
  }

  return {
    /** `memory`: for the columns of a block. */
    readRows: (span: Span, limit: number, memory?: BlockMemory): ReadRows =>
      seeingOneMoment(() => {
        const { organization, object, asOf } = span
        const fromBlock = (block: StoredBlock) =>
          readShown(block, span, asOf, limit, shiftsOf(organization, object), memory)
        const found = nextIn<Joined, ReturnType<typeof fromBlock>>(span, limit, joined, fromBlock)
        if ('block' in found) {
          const { columns, ...read } = found.block
          return { ...read, rows: read.shown === 0 ? null : columns }
        }
        const { table } = found
        if (table.shifted === 0 || table.records === null) return { ...table, rows: table.records }
        return { ...table, rows: shiftedRecords(span, table.last!) }
      }),
    countRows: (span: Span, atMost: number): Stretch =>
      seeingOneMoment(() => {
        const fromBlock = (block: StoredBlock) => countRows(block, span, span.asOf, atMost)
        const found = nextIn<Passed, ReadBlock>(span, atMost, counted, fromBlock)
        return 'block' in found ? found.block : found.table
      }),
  }
}

type Passed = { shown: number; passed: number; last: number | null }
type Joined = Passed & { records: Uint8Array | null; shifted: number }

/** The next rows with `after < time_device <= to` that answers show now, at most `limit`, inside a transaction. */
export function rangeReader(reader: DatabaseSync) {
  const { readRows } = stretchReader(reader, (work) => work())
  return (organization: number, object: number, after: number, to: number, limit: number) =>
    readRows({ organization, object, after, to, asOf: NOW }, limit)
}

/** A number above every change: shows each row that is not hidden when it is read. */
const NOW = Number.MAX_SAFE_INTEGER
