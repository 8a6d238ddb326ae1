import type { LISTED, RECORDS } from '../changes/change-kinds.ts'
import { type AskedAttributes, type IncludedFields, setIncluded } from '../history.ts'

/** The kinds of changes. Later versions of the server have more. */
export type ChangeType =
  | 'positions'
  | 'states'
  | 'objects'
  | (typeof LISTED)[keyof typeof LISTED]
  | (typeof RECORDS)[keyof typeof RECORDS]
  | (string & {})

/** Where to start: with the catalogue and states, with all kept positions too, or with nothing. */
export type ChangesFrom = 'snapshot' | 'history' | 'now'

export type ChangesOptions = {
  /** Where to continue: the `cursor` of the last page that you kept. Default: start as `from` says. */
  cursor?: string | undefined
  /** Where to start without a cursor, and after a cursor has expired. Default: `snapshot`. */
  from?: ChangesFrom
  /**
   * Only changes of these kinds. Default: all that the server has when the iteration starts. Records (trips, stops,
   * visits and changes of levels) are among them once somebody has asked for them, as these options do.
   */
  types?: Iterable<ChangeType>
  /** Only these objects, at most 1,000. Default: all. Places are not filtered. */
  ids?: Iterable<number>
  /** More fields of each position: `quality` of the fix, and the counters as they are kept (`exact`). */
  include?: Iterable<IncludedFields>
  /** The attributes of each position and state. Default: none. After a change of their catalogue the copy starts again from the beginning. */
  attributes?: AskedAttributes
  /** Whether to leave out what a daily quota does not pay for, instead of rejecting. Default: false. */
  skipExhausted?: boolean
  /** The largest number of changes on a page, 1 to 10,000. Default: 1,000. */
  pageSize?: number
  /**
   * How to wait for new changes. `stream` (the default): one answer that does not end. `wait`: a request that
   * the server holds for up to 25 seconds. `false`: the iteration ends when there is nothing new.
   */
  live?: 'stream' | 'wait' | false
  signal?: AbortSignal | undefined
}

/** Seconds for which the server may hold a request. */
export const WAIT_SECONDS = 25

/** The path of the next page. Only a start and the first request of an iteration have the options. */
export function changesPath(
  options: ChangesOptions,
  cursor: string | null,
  isFirst: boolean,
  isHeld: boolean,
): string {
  const { from = 'snapshot', types, ids, include, attributes, skipExhausted, pageSize } = options
  const query = new URLSearchParams()
  if (cursor === null || isFirst) {
    for (const [name, list] of Object.entries({ types, ids })) {
      if (list !== undefined) query.set(name, [...list].join())
    }
    setIncluded(query, include, attributes)
  }
  if (pageSize !== undefined) query.set('limit', String(pageSize))
  if (skipExhausted === true) query.set('skip_exhausted', 'true')
  if (isHeld) query.set('wait', String(WAIT_SECONDS))
  if (cursor === null) query.set('from', from)
  else query.set('cursor', cursor)
  return `/changes?${query}`
}
