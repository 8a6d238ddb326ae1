import type { DatabaseSync } from 'node:sqlite'
import { takeTurn } from '../../base/domain/common/slots.ts'
import { ITEM_TOPICS } from '../../base/domain/item-rules.ts'
import type { QuotaCount } from '../../base/domain/limits.ts'
import { runAtOnce } from '../../engine/tracking/work.ts'
import {
  type CopiedTable,
  type CopySource,
  type CopySourceFacts,
  type Part,
  TABLES_WITH_IDS,
} from '../copy/copy-port.ts'
import { type CopyParts, copiedRows } from '../copy/copy-reads.ts'
import { BLOCK_BYTES, tupleWriter, type Value } from '../copy/tuples.ts'
import { newestSequence } from './changes.ts'
import { tablesOf } from './positions/position-form.ts'
import { DIALECT, sqlOf } from './tables.ts'

/** Rows read by one statement: 1 ms, about 200 kB. */
const SLICE_ROWS = 1_000
type Read = { tuples: Uint8Array | null; passed: number; last: number }

/** The length of a whole number, 8 bytes, in hexadecimal digits. */
const EIGHT = '00000008'

/*
 * SQLite makes and joins the tuples of a thousand rows in one call. One call for each row and value takes five times
 * as long.
 */
const READ = `
  SELECT count(*) AS passed, max(time_device) AS last, CAST(group_concat(
    unhex(printf('0007${EIGHT}%016x${EIGHT}%016x${EIGHT}%016x${EIGHT}%016x',
      organization, object, time_device, change)
      || iif(hidden IS NULL, 'ffffffff', printf('${EIGHT}%016x', hidden))
      || printf('%08x', length(fix)))
    || fix
    || unhex(printf('%08x', length(track))) || track, '') AS BLOB) AS tuples
  FROM (
    SELECT * FROM positions
    WHERE organization = ? AND object = ? AND time_device >= ? AND time_device < ?
    ORDER BY time_device LIMIT ${SLICE_ROWS}
  )`

/** Reads the tuples of the table of positions, in blocks. Other work runs in between. */
function unpackedTuples(connection: DatabaseSync): CopyParts['unpacked'] {
  const read = connection.prepare(READ)

  function* piecesOf({ organization, objects, from, to }: Part): Generator<Uint8Array> {
    for (const object of objects) {
      for (let since = from; since < to; ) {
        const { tuples, passed, last } = read.get(organization, object, since, to) as Read
        if (passed > 0) yield tuples!
        if (passed < SLICE_ROWS) break
        since = last + 1
      }
    }
  }

  return async function* (part) {
    let pieces: Uint8Array[] = []
    let bytes = 0
    for (const piece of piecesOf(part)) {
      pieces.push(piece)
      bytes += piece.length
      if (bytes < BLOCK_BYTES) continue
      yield Buffer.concat(pieces)
      pieces = []
      bytes = 0
      await takeTurn()
    }
    if (bytes > 0) yield Buffer.concat(pieces)
  }
}

/** Queries for tables that SQLite has in another form. Organization `$1`. */
const OWN_QUERIES: Record<string, string> = {
  sequences: `
    SELECT id,
      coalesce((SELECT sequence FROM changes WHERE organization = $1 AND topic = 'objects'), 0),
      coalesce((SELECT sequence FROM changes WHERE organization = $1 AND topic = 'states'), 0),
      coalesce((SELECT max(seq) FROM change_log WHERE organization = $1), 0)
    FROM organizations WHERE id = $1`,
  ids: ITEM_TOPICS.toSorted()
    .map((kind) => `SELECT '${kind}', id, organization FROM ${kind} WHERE organization = $1`)
    .join(' UNION ALL ')
    .concat(' ORDER BY 1, 2'),
  // Starts from the organization, which the counters do not name.
  quota_counts: `
    SELECT organization, day, object, hundredths
    FROM objects CROSS JOIN temp.quota_counts ON object = id
    WHERE organization = $1 AND hundredths > 0 ORDER BY day, object`,
}

/** The organization is that of the object. */
export type ObjectCount = Omit<QuotaCount, 'organization'>

/** Temporary tables while the connection is open: SQLite deployments keep these counters in a file. */
export function addQuotaCounts(connection: DatabaseSync, counts: readonly ObjectCount[]): void {
  connection.exec(`
    CREATE TEMP TABLE quota_counts (
      day INTEGER, object INTEGER, hundredths INTEGER, PRIMARY KEY (object, day)
    ) WITHOUT ROWID`)
  const insert = connection.prepare('INSERT INTO temp.quota_counts VALUES (?, ?, ?)')
  for (const { day, object, hundredths } of counts) insert.run(day, object, hundredths)
}

/** Reads over one connection, in one transaction. */
export function copiedFrom(connection: DatabaseSync): Omit<CopySource, 'close'> {
  return { ...copiedRows(copyParts(connection)), facts: async () => factsOf(connection) }
}

function copyParts(connection: DatabaseSync): CopyParts {
  const sql = sqlOf(connection)
  return {
    read: async (work) => runAtOnce(work(sql)),
    dialect: DIALECT,
    tablesOf,
    ownQueries: OWN_QUERIES,
    tuples(table, query, organization) {
      const rows = connection.prepare(query.replaceAll('$1', '?1'))
      rows.setReturnArrays(true)
      const owner = organization === null ? [] : [organization]
      return tuplesOf(table, rows.iterate(...owner) as unknown as Iterable<Value[]>)
    },
    unpacked: unpackedTuples(connection),
  }
}

/** Rows as tuples, in blocks. Lets others run in between. */
async function* tuplesOf(table: CopiedTable, rows: Iterable<Value[]>): AsyncGenerator<Buffer> {
  const writer = tupleWriter(table)
  for (const row of rows) {
    writer.add(row)
    if (!writer.isFull()) continue
    yield writer.take()
    await takeTurn()
  }
  const rest = writer.take()
  if (rest.length > 0) yield rest
}

function factsOf(connection: DatabaseSync): CopySourceFacts {
  const { secret, epoch } = connection.prepare('SELECT secret, epoch FROM deployment').get() as {
    secret: Uint8Array
    epoch: string
  }
  const given = new Map(
    connection
      .prepare('SELECT name, seq FROM sqlite_sequence')
      .all()
      .map(({ name, seq }) => [name, seq as number]),
  )
  const lastIds = Object.fromEntries(TABLES_WITH_IDS.map((table) => [table, given.get(table) ?? 0]))
  return {
    secret: Buffer.from(secret),
    sequence: newestSequence(connection)(),
    epoch,
    lastIds: lastIds as CopySourceFacts['lastIds'],
  }
}
