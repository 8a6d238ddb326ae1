import { useQuery } from '@tanstack/react-query'
import { get } from '../api/client.ts'
import { every } from '../api/refresh.ts'
import type { Level, Levels, Stop, Stops, Trip, Trips, Visit, Visits } from '../api/types.ts'
import { type Day, dayOf, dayRange } from '../ui/time/days.ts'
import { startOf } from './span.ts'

/** A record in the list of a day. `key` names it in the address of the page. */
export type DayRecord = { key: string } & (
  | { kind: 'trip'; row: Trip }
  | { kind: 'stop'; row: Stop }
  | { kind: 'visit'; row: Visit }
  | { kind: 'level'; row: Level }
)

export type DayRecords = {
  /** By start. */
  records: DayRecord[]
  /** Whether the server has derived them. It does so when they are first asked for. */
  isDerived: boolean
}

/** No day has more records of one kind but those of very many places. */
const LIMIT = 10_000
const DERIVING_MS = 1_000
const TODAY_MS = 15_000

/** The trips, stops, visits and changes of levels of an object that overlap a day. */
export function useDayRecords(organization: number, object: number, day: Day, utc: boolean) {
  const { from, to } = dayRange(day, utc)
  const isPast = day < dayOf(Date.now(), utc)
  return useQuery({
    queryKey: ['map', organization, 'object', object, 'records', from, to],
    queryFn: async ({ signal }): Promise<DayRecords> => {
      const query = `?ids=${object}&from_time=${from}&to_time=${to}&limit=${LIMIT}`
      const path = `/organizations/${organization}`
      const [trips, stops, visits, levels] = await Promise.all([
        get<Trips>(`${path}/trips${query}`, signal),
        get<Stops>(`${path}/stops${query}`, signal),
        get<Visits>(`${path}/visits${query}`, signal),
        get<Levels>(`${path}/levels${query}`, signal),
      ])
      return {
        records: inOrder(trips.items, stops.items, visits.items, levels.items),
        isDerived: [trips, stops, visits, levels].every(
          ({ derived_until }) => derived_until !== null,
        ),
      }
    },
    staleTime: DERIVING_MS,
    refetchInterval: (query) => {
      const rest = isPast ? false : TODAY_MS
      return every(query.state.data?.isDerived === false ? DERIVING_MS : rest)(query)
    },
  })
}

/** A visit or a change of a level comes after the trip or stop that starts with it. */
export function inOrder(
  trips: Trip[],
  stops: Stop[],
  visits: Visit[],
  levels: Level[],
): DayRecord[] {
  const all: DayRecord[] = [
    ...trips.map((row) => ({ key: `trip-${row.id}`, kind: 'trip' as const, row })),
    ...stops.map((row) => ({ key: `stop-${row.id}`, kind: 'stop' as const, row })),
    ...visits.map((row) => ({ key: `visit-${row.id}`, kind: 'visit' as const, row })),
    ...levels.map((row) => ({ key: `level-${row.id}`, kind: 'level' as const, row })),
  ]
  // The sort is stable.
  return all.sort((one, other) => startOf(one.row) - startOf(other.row))
}
