import { type PositionForm, positionTables } from '../../positions/position-tables.ts'
import { int8Array } from '../connection/given-rows.ts'
import { LISTS } from '../tables.ts'

export const FORM: PositionForm = {
  packedRow: `int8send(change) || int8send(coalesce(hidden, -1)) || int4send(length(track)) || fix || track`,
  trackRow: `set_byte(set_byte('\\x0000'::bytea, 0, (hidden IS NULL)::int), 1, length(track)) || fix || track`,
  atMost: (parameter) => parameter,
  bytes: (column) => `string_agg(${column}, ''::bytea)`,
  numbers: (column) => `string_agg(${column}::text, ',')`,
  lists: (...lists) => lists.map(int8Array),
  wanted(from, ...names) {
    const lists = names.map((_, at) => `$${from + at}::int8[]`).join(', ')
    return `unnest(${lists}) WITH ORDINALITY AS wanted (${names.join(', ')}, place)`
  },
  // The bounds show before anything is read which partitions it can be in.
  before: 'time_device < wanted.at AND time_device BETWEEN $2 AND $3',
  since: 'time_device >= wanted.at AND time_device BETWEEN $2 AND $3',
  // Without a LIMIT or an OFFSET the server could read all rows of the organization.
  ofEach({ table, columns, where, lastBy }) {
    const end =
      lastBy === undefined
        ? `${table === 'positions' ? 'ORDER BY time_device' : ''} OFFSET 0`
        : `ORDER BY ${lastBy} DESC LIMIT 1`
    return `CROSS JOIN LATERAL (
      SELECT ${columns} FROM ${table}
      WHERE organization = $1 AND object = wanted.id AND ${where} ${end}
    ) AS found`
  },
  newestChange: '(SELECT newest FROM sequences WHERE organization = $1)',
  // A transaction costs as much as 100 fixes in it, and the process usually waits during that time.
  appendSize: 200,
  // About as many as a fold needs.
  ahead: { earlier: 16, later: 64, chunk: 128, maxChunk: 512 },
  // Some milliseconds, and 20 ms, for which other writes to the organization wait.
  purgedAtOnce: 1_000,
  packedAtOnce: 4,
  // Some 20 ms.
  namedAtOnce: 2_000,
  blocksAtOnce: 200,
}

export const tablesOf = positionTables(FORM, LISTS)
