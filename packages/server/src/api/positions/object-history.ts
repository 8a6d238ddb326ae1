import type { TimeRange } from '../../domain/time/time-range.ts'
import { clientGone } from '../../http/connections/client-gone.ts'
import type { History } from '../../store/store.ts'
import type { Call } from '../operation.ts'
import { hasMoreSteps, intervalOf, steppedHistory } from './thin-by-step.ts'

/** The rows of one object that a request asks for. */
export type HistorySelection = {
  readonly object: number
  readonly range: TimeRange
  /** Null: every row. */
  readonly stepMs: number | null
  /** The time of the last row that an earlier page gave. */
  readonly given: number | null
}

/** Opens a page of the rows. */
export async function openHistory(
  { api, organization, request }: Call,
  { object, range, stepMs, given }: HistorySelection,
  limit: number | null,
): Promise<History> {
  const gone = clientGone(request.connection)
  // Rows of the first page must not be missing in the next one.
  const mayLag = given === null
  const rows = stepMs === null ? limit : null
  const history = await api.positions.history(organization.id, object, range, rows, mayLag, gone)
  if (stepMs === null) return history
  const taken = given === null ? null : intervalOf(given, stepMs)
  return steppedHistory(history, stepMs, taken, limit, gone)
}

/** Whether there are more rows than `most`. */
export async function isLongerThan(
  call: Call,
  selection: HistorySelection,
  most: number,
): Promise<boolean> {
  const { api, organization, request } = call
  const { object, range, stepMs, given } = selection
  const gone = clientGone(request.connection)
  const mayLag = given === null
  if (stepMs !== null) {
    const every = await api.positions.history(organization.id, object, range, null, mayLag, gone)
    return hasMoreSteps(every, stepMs, most, gone)
  }
  const rows = await api.positions.count(organization.id, object, range, most + 1, mayLag, gone)
  return rows > most
}
