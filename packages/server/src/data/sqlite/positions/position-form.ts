import { type PositionForm, positionTables } from '../../positions/position-tables.ts'
import { fixedPlan } from '../database/database.ts'
import { DIALECT } from '../tables.ts'

/** All whole numbers of one byte, as a literal. Its parts turn numbers into bytes. */
const BYTES = `x'${Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)).toString('hex')}'`

export const FORM: PositionForm = {
  packedRow: `
    unhex(printf('%016x%016x%08x', change, coalesce(hidden, -1), length(track))) || fix || track`,
  trackRow: `CAST(
    iif(hidden IS NULL, x'01', x'00') || substr(${BYTES}, length(track) + 1, 1) || fix || track AS BLOB)`,
  atMost: fixedPlan,
  bytes: (column) => `CAST(group_concat(${column}, '') AS BLOB)`,
  numbers: (column) => `group_concat(${column})`,
  lists: (first, ...others) => [
    others.length === 0 ? JSON.stringify(first) : rowsText(first, others),
  ],
  wanted(from, ...names) {
    const isOne = names.length === 1
    const columns = names
      .map((name, at) => `value${isOne ? '' : ` ->> ${at}`} AS ${name}`)
      .join(', ')
    return `(SELECT ${columns}, key + 1 AS place FROM json_each($${from})) AS wanted`
  },
  // A search has one bound on each side. SQLite would take any, and read all rows beyond.
  before: 'time_device >= $2 AND time_device < min(wanted.at, $3 + 1)',
  since: 'time_device >= max(wanted.at, $2) AND time_device <= $3',
  ofEach({ table, columns, where, lastBy }) {
    const of = `organization = $1 AND object = wanted.id AND`
    const is =
      lastBy === undefined
        ? where
        : `${lastBy} = (SELECT ${lastBy} FROM ${table} WHERE ${of} ${where} ORDER BY ${lastBy} DESC LIMIT 1)`
    return `CROSS JOIN (SELECT *, ${columns} FROM ${table}) AS found ON ${of} ${is}`
  },
  newestChange: '(SELECT sequence FROM newest_change)',
  // 0.5 ms, during which nothing else runs in this process.
  appendSize: 10,
  ahead: { earlier: 2, later: 6, chunk: 64, maxChunk: 512 },
  // 1 ms, and 4 ms, in which this process does nothing else.
  purgedAtOnce: 250,
  packedAtOnce: 1,
  // 0.2 ms, and some 5 ms. Then others have their turn.
  namedAtOnce: 250,
  blocksAtOnce: 50,
}

export const tablesOf = positionTables(FORM, DIALECT)

/** The rows of lists as JSON. */
function rowsText(first: readonly number[], others: readonly number[][]): string {
  let text = ''
  for (const [at, number] of first.entries()) {
    text += at === 0 ? `[${number}` : `],[${number}`
    for (const list of others) text += `,${list[at]}`
  }
  return text === '' ? '[]' : `[${text}]]`
}
