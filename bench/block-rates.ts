import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { positionRowEncoder } from '../packages/server/src/api/encode/position-rows.ts'
import { OBJECT_DEFAULTS } from '../packages/server/src/domain/monitored-object.ts'
import { FIX_RECORD } from '../packages/server/src/domain/position/fix-record.ts'
import { UNSEEN } from '../packages/server/src/domain/position/object-state.ts'
import {
  blockMemory,
  decodeBlock,
  encodeBlock,
} from '../packages/server/src/store/positions/blocks/block.ts'
import { fixRecords, rowAt } from '../packages/server/src/store/positions/blocks/columns-to-rows.ts'
import { columnsOf } from '../packages/server/src/store/positions/blocks/rows-to-columns.ts'
import type { PositionRow } from '../packages/server/src/tracking/stored-position.ts'
import type { Corpus } from './block-corpora.ts'

/** The tables as SQLite has them: rows as today, and blocks as `docs/positions-in-blocks.md` plans them. */
const TABLES = `
  PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -400000;
  CREATE TABLE positions (
    organization INTEGER NOT NULL, object INTEGER NOT NULL, time_device INTEGER NOT NULL,
    change INTEGER NOT NULL, fix BLOB NOT NULL, track BLOB NOT NULL, hidden INTEGER,
    PRIMARY KEY (organization, object, time_device)
  ) STRICT, WITHOUT ROWID;`
const blockTable = (size: number) => `
  CREATE TABLE blocks_${size} (
    organization INTEGER NOT NULL, object INTEGER NOT NULL, last_time INTEGER NOT NULL,
    first_time INTEGER NOT NULL, rows INTEGER NOT NULL, block BLOB NOT NULL,
    PRIMARY KEY (organization, object, last_time)
  ) STRICT;`
const PAGE = `
  SELECT CAST(group_concat(fix, '') FILTER (WHERE hidden IS NULL) AS BLOB) AS records, max(time_device) AS last,
    count(*) AS passed
  FROM (SELECT time_device, hidden, fix FROM positions
    WHERE organization = 1 AND object = ?1 AND time_device > ?2 ORDER BY time_device LIMIT 250)`
/** Processor seconds of a measurement. */
const LONG_ENOUGH_S = 1

/** Tables of processor time and bytes in SQLite, in Markdown. */
export function measureRates(corpus: Corpus, folder: string, sizes: readonly number[]): string {
  const file = join(folder, 'rates.db')
  const database = new DatabaseSync(file)
  database.exec(TABLES)
  const total = corpus.objects.reduce((sum, { length }) => sum + length, 0)
  const rate = (seconds: number, rows: number) =>
    Math.round(rows / seconds / 1000).toLocaleString('en')
  const lines = [
    '| form | bytes in SQLite | write, thousand rows/s | read to fix records, thousand rows/s | one row, µs |',
    '|---|---|---|---|---|',
  ]
  const written = seconds(() => writeRows(database, corpus))
  const bytes = bytesIn(database, 'positions')
  const read = repeated(() => readRows(database, corpus))
  const one = repeated(() => readSingleRows(database, corpus))
  const perRow = ((one.seconds / one.count) * 1e6).toFixed(1)
  lines.push(
    `| rows of today | ${(bytes / total).toFixed(1)} | ${rate(written, total)} | ${rate(read.seconds, read.count)} | ${perRow} |`,
  )
  for (const size of sizes) {
    database.exec(blockTable(size))
    const packing = seconds(() => writeBlocks(database, corpus, size))
    const reading = repeated(() => readBlocks(database, corpus, size))
    const places = corpus.objects.map(
      (rows) => new Map(rows.map((row, i) => [timeOf(row), i % size])),
    )
    const single = repeated(() => readSingleOfBlocks(database, corpus, size, places))
    const perPosition = (bytesIn(database, `blocks_${size}`) / total).toFixed(1)
    lines.push(
      `| blocks of ${size} | ${perPosition} | ${rate(packing, total)} | ${rate(reading.seconds, reading.count)} | ${((single.seconds / single.count) * 1e6).toFixed(1)} |`,
    )
  }
  const encoding = repeated(() => encodeJson(corpus))
  lines.push(
    '',
    `JSON of fix records: ${rate(encoding.seconds, encoding.count)} thousand rows/s.`,
    '',
  )
  database.close()
  return `${lines.join('\n')}\nFile: ${statSync(file).size.toLocaleString('en')} bytes.\n`
}

/** Processor seconds of a call. */
function seconds(call: () => void): number {
  const before = process.cpuUsage()
  call()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}

/** Repeats a call, which returns a count, after a first one that does not count. */
function repeated(call: () => number): { seconds: number; count: number } {
  call()
  const sum = { seconds: 0, count: 0 }
  while (sum.seconds < LONG_ENOUGH_S) {
    sum.seconds += seconds(() => {
      sum.count += call()
    })
  }
  return sum
}

function bytesIn(database: DatabaseSync, table: string): number {
  const pages = database
    .prepare(
      `SELECT sum(pgsize) AS bytes FROM dbstat
       WHERE name IN (SELECT name FROM sqlite_schema WHERE tbl_name = ?)`,
    )
    .get(table)
  return pages!.bytes as number
}

function writeRows(database: DatabaseSync, { objects }: Corpus): void {
  const insert = database.prepare('INSERT INTO positions VALUES (1, ?, ?, ?, ?, ?, ?)')
  database.exec('BEGIN')
  for (const [object, rows] of objects.entries()) {
    for (const row of rows) {
      insert.run(object, timeOf(row), row.change, row.fix, row.track, row.hidden)
    }
  }
  database.exec('COMMIT')
}

function readRows(database: DatabaseSync, { objects }: Corpus): number {
  const page = database.prepare(PAGE)
  let count = 0
  for (const object of objects.keys()) {
    for (let after = 0; ; ) {
      const { passed, last } = page.get(object, after) as { passed: number; last: number }
      count += passed
      if (passed < 250) break
      after = last
    }
  }
  return count
}

const SINGLE_ROWS = 20

function readSingleRows(database: DatabaseSync, { objects }: Corpus): number {
  const one = database.prepare(
    'SELECT fix, track FROM positions WHERE organization = 1 AND object = ? AND time_device = ?',
  )
  return readSingle(objects, (object, time) => one.get(object, time))
}

function readSingle(
  objects: Corpus['objects'],
  read: (object: number, time: number) => void,
): number {
  for (const [object, rows] of objects.entries()) {
    for (let i = 0; i < SINGLE_ROWS; i += 1) {
      read(object, timeOf(rows[Math.floor((i * rows.length) / SINGLE_ROWS)]!))
    }
  }
  return objects.length * SINGLE_ROWS
}

function writeBlocks(database: DatabaseSync, { objects }: Corpus, size: number): void {
  const insert = database.prepare(`INSERT INTO blocks_${size} VALUES (1, ?, ?, ?, ?, ?)`)
  database.exec('BEGIN')
  for (const [object, rows] of objects.entries()) {
    for (let from = 0; from < rows.length; from += size) {
      const part = rows.slice(from, from + size)
      const block = encodeBlock({ organization: 1, object }, columnsOf(part))
      insert.run(object, timeOf(part.at(-1)!), timeOf(part[0]!), part.length, block)
    }
  }
  database.exec('COMMIT')
}

function readBlocks(database: DatabaseSync, { objects }: Corpus, size: number): number {
  const blocks = database.prepare(
    `SELECT block FROM blocks_${size} WHERE organization = 1 AND object = ? ORDER BY last_time`,
  )
  const memory = blockMemory()
  let count = 0
  for (const object of objects.keys()) {
    for (const { block } of blocks.iterate(object)) {
      const { columns } = decodeBlock(block as Uint8Array, { isFixAlone: true, memory })
      fixRecords(
        columns,
        Array.from({ length: columns.rows }, (_, row) => row),
      )
      count += columns.rows
    }
  }
  return count
}

function readSingleOfBlocks(
  database: DatabaseSync,
  { objects }: Corpus,
  size: number,
  places: readonly ReadonlyMap<number, number>[],
): number {
  const memory = blockMemory()
  const one = database.prepare(`
    SELECT block FROM blocks_${size}
    WHERE organization = 1 AND object = ?1 AND last_time >= ?2 ORDER BY last_time LIMIT 1`)
  return readSingle(objects, (object, time) => {
    const { block } = one.get(object, time) as { block: Uint8Array }
    const row = places[object]!.get(time)!
    const { columns, first } = decodeBlock(block, { from: row, to: row + 1, memory })
    rowAt(columns, row - first)
  })
}

function encodeJson({ objects }: Corpus): number {
  const object = {
    ...OBJECT_DEFAULTS,
    id: 1,
    ident: '350000000000001',
    name: 'Van 1',
    createdAt: 0,
    updatedAt: 0,
  }
  const encode = positionRowEncoder({ object, state: UNSEEN } as never, 'km')
  let count = 0
  for (const rows of objects.slice(0, 20)) {
    for (let from = 0; from < rows.length; from += 250) {
      const part = rows.slice(from, from + 250)
      encode(Buffer.concat(part.map(({ fix }) => fix)), true)
      count += part.length
    }
  }
  return count
}

function timeOf({ fix }: PositionRow): number {
  return Buffer.from(fix.buffer, fix.byteOffset, fix.byteLength).readUIntLE(
    FIX_RECORD.timeDevice,
    6,
  )
}
