import { FIX_RECORD } from '../../domain/position/fix-record.ts'
import {
  type PositionForm,
  positionTables,
  type WrittenRow,
} from '../../store/positions/position-tables.ts'
import type { StoredRow } from '../../store/positions/stored-blocks.ts'
import { byteaArray, type Given, givenStatement, int8Array } from '../connection/given-rows.ts'

/** A row as one value: its change, the change that hid it, the length of its fold state, fix and track. */
export const PACKED = `int8send(change) || int8send(coalesce(hidden, -1))
  || int4send(length(track)) || fix || track`
const AT = { change: 0, hidden: 8, trackLength: 16, fix: 20 } as const

/** The rows of joined values. Null: none. */
export function unpackedRows(packed: Buffer | null): StoredRow[] {
  const rows: StoredRow[] = []
  if (packed === null) return rows
  for (let at = 0; at < packed.length; ) {
    const start = at + AT.fix
    const length = packed.readUInt16LE(start + FIX_RECORD.length)
    const trackLength = packed.readInt32BE(at + AT.trackLength)
    const hidden = Number(packed.readBigInt64BE(at + AT.hidden))
    const end = start + length
    at = end + trackLength
    rows.push({
      time: packed.readUIntLE(start + FIX_RECORD.timeDevice, 6),
      change: Number(packed.readBigInt64BE(start - AT.fix + AT.change)),
      hidden: hidden < 0 ? null : hidden,
      fix: packed.subarray(start, end),
      track: packed.subarray(end, at),
    })
  }
  return rows
}

const insert = ({ rows }: Given) => `
  INSERT INTO positions (organization, object, time_device, change, hidden, fix, track)
  ${rows('unnest($2::int8[], $3::int8[], $4::int8[], $5::int8[], $6::bytea[], $7::bytea[])')}`
const ADD = givenStatement(insert)
/** Unlike an UPDATE, this cannot get a bad plan. */
const REPLACE = givenStatement(
  (given) => `${insert(given)}
  ON CONFLICT (organization, object, time_device) DO UPDATE SET
    change = excluded.change, hidden = excluded.hidden, fix = excluded.fix, track = excluded.track`,
)

export const FORM: PositionForm = {
  joined: `string_agg(${PACKED}, '') AS rows`,
  split: (joined) => unpackedRows((joined as { rows: Buffer | null }).rows),
  trackRow: `set_byte(set_byte('\\x0000'::bytea, 0, (hidden IS NULL)::int), 1, length(track)) || fix || track`,
  write({ run }, organization, rows) {
    const added = rows.filter(({ isNew }) => isNew)
    const replaced = rows.filter(({ isNew }) => !isNew)
    if (added.length > 0) run(ADD.text, [organization, ...columnsOf(added)])
    if (replaced.length > 0) run(REPLACE.text, [organization, ...columnsOf(replaced)])
  },
  atMost: (parameter) => parameter,
  bytes: (column) => `string_agg(${column}, ''::bytea)`,
  numbers: (column) => `string_agg(${column}::text, ',')`,
  lists: (...lists) => lists.map(int8Array),
  wanted(from, ...names) {
    const lists = names.map((_, at) => `$${from + at}::int8[]`).join(', ')
    return `unnest(${lists}) WITH ORDINALITY AS wanted (${names.join(', ')}, place)`
  },
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
  // Some milliseconds, and 20 ms, for which other writes to the organization wait.
  purgedAtOnce: 1_000,
  packedAtOnce: 4,
  // Some 20 ms.
  namedAtOnce: 2_000,
  blocksAtOnce: 200,
}

export const tablesOf = positionTables(FORM)

function columnsOf(rows: readonly WrittenRow[]): Buffer[] {
  return [
    int8Array(rows.map(({ object }) => object)),
    int8Array(rows.map(({ time }) => time)),
    int8Array(rows.map(({ change }) => change)),
    int8Array(rows.map(({ hidden }) => hidden)),
    byteaArray(rows.map(({ fix }) => fix)),
    byteaArray(rows.map(({ track }) => track)),
  ]
}
