import type { Json } from './description.ts'
import { FIX_STEP_MS } from './tenants.ts'

/**
 * The content of a `result` in one line, for comparison with the expectation: its objects or places, their order,
 * and the moments. The schema checks the values.
 */
export function contentsOf(operation: string, result: Json): string {
  switch (operation) {
    case 'ping':
      return result.status
    case 'getObject':
      return `${result.id}@${result.time_device}`
    case 'latestPositions':
      return result.map((row: Json) => `${row.id}@${row.time_device}`).join()
    case 'listPositions':
      return historyContents(result)
    default:
      return Array.isArray(result) ? result.map((item: Json) => item.id).join() : ''
  }
}

/** Rows of one object at equal steps; otherwise reports the break. */
function historyContents(rows: Json[]): string {
  const [first] = rows
  if (first === undefined) return ''
  const start = Date.parse(first.time_device)
  for (const [i, row] of rows.entries()) {
    if (row.id !== first.id) return `row ${i} is of ${row.id}, not ${first.id}`
    if (Date.parse(row.time_device) !== start + i * FIX_STEP_MS) {
      return `row ${i} is of ${row.time_device}, ${rows[i - 1]?.time_device} before it`
    }
  }
  return `${rows.length} of ${first.id} from ${first.time_device}`
}
