import { type PositionForm, positionTables } from '../../store/positions/position-tables.ts'
import type { StoredRow } from '../../store/positions/stored-blocks.ts'
import { fixedPlan } from '../database/database.ts'

const insert = (or: string) => `
  INSERT ${or} INTO positions (organization, object, time_device, change, hidden, fix, track)
  VALUES ($1, $2, $3, $4, $5, $6, $7)`
const ADD = insert('')
const REPLACE = insert('OR REPLACE')

export const FORM: PositionForm = {
  joined: `json_group_array(json_array(time, change, hidden, length(fix), length(track))) AS heads,
    CAST(group_concat(fix, '') AS BLOB) AS fixes, CAST(group_concat(track, '') AS BLOB) AS tracks`,
  split: (joined) => splitRows(joined as JoinedRows),
  write({ run }, organization, rows) {
    for (const { object, time, change, hidden, fix, track, isNew } of rows) {
      run(isNew ? ADD : REPLACE, [organization, object, time, change, hidden, fix, track])
    }
  },
  atMost: fixedPlan,
  newestChange: '(SELECT sequence FROM newest_change)',
  // 1 ms, and 4 ms, in which this process does nothing else.
  purgedAtOnce: 250,
  packedAtOnce: 1,
}

export const tablesOf = positionTables(FORM)

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
