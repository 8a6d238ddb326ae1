import { type PositionForm, positionTables } from '../../store/positions/position-tables.ts'
import type { StoredRow } from '../../store/positions/stored-blocks.ts'
import { fixedPlan } from '../database/database.ts'

const insert = (or: string) => `
  INSERT ${or} INTO positions (organization, object, time_device, change, hidden, fix, track)
  VALUES ($1, $2, $3, $4, $5, $6, $7)`
const ADD = insert('')
const REPLACE = insert('OR REPLACE')

/** All whole numbers of one byte, as a literal. Its parts turn numbers into bytes. */
const BYTES = `x'${Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)).toString('hex')}'`

export const FORM: PositionForm = {
  joined: `json_group_array(json_array(time, change, hidden, length(fix), length(track))) AS heads,
    CAST(group_concat(fix, '') AS BLOB) AS fixes, CAST(group_concat(track, '') AS BLOB) AS tracks`,
  split: (joined) => splitRows(joined as JoinedRows),
  trackRow: `CAST(
    iif(hidden IS NULL, x'01', x'00') || substr(${BYTES}, length(track) + 1, 1) || fix || track AS BLOB)`,
  write({ run }, organization, rows) {
    for (const { object, time, change, hidden, fix, track, isNew } of rows) {
      run(isNew ? ADD : REPLACE, [organization, object, time, change, hidden, fix, track])
    }
  },
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
  ofEach({ table, columns, where, lastBy }) {
    const of = `organization = $1 AND object = wanted.id AND`
    const is =
      lastBy === undefined
        ? where
        : `${lastBy} = (SELECT ${lastBy} FROM ${table} WHERE ${of} ${where} ORDER BY ${lastBy} DESC LIMIT 1)`
    return `CROSS JOIN (SELECT *, ${columns} FROM ${table}) AS found ON ${of} ${is}`
  },
  newestChange: '(SELECT sequence FROM newest_change)',
  // 1 ms, and 4 ms, in which this process does nothing else.
  purgedAtOnce: 250,
  packedAtOnce: 1,
  // 0.2 ms, and some 5 ms. Then others have their turn.
  namedAtOnce: 250,
  blocksAtOnce: 50,
}

export const tablesOf = positionTables(FORM)

/** The rows of lists as JSON. */
function rowsText(first: readonly number[], others: readonly number[][]): string {
  let text = ''
  for (const [at, number] of first.entries()) {
    text += at === 0 ? `[${number}` : `],[${number}`
    for (const list of others) text += `,${list[at]}`
  }
  return text === '' ? '[]' : `[${text}]]`
}

/** Without rows there are no `fixes` and `tracks`. */
type JoinedRows = { heads: string; fixes: Uint8Array; tracks: Uint8Array }
type RowHead = [time: number, change: number, hidden: number | null, fix: number, track: number]

function splitRows({ heads, fixes, tracks }: JoinedRows): StoredRow[] {
  let [fixEnd, trackEnd] = [0, 0]
  return (JSON.parse(heads) as RowHead[]).map(([time, change, hidden, fixBytes, trackBytes]) => {
    const fix = fixes.subarray(fixEnd, fixEnd + fixBytes)
    const track = tracks.subarray(trackEnd, trackEnd + trackBytes)
    fixEnd += fixBytes
    trackEnd += trackBytes
    return { time, change, hidden, fix, track }
  })
}
