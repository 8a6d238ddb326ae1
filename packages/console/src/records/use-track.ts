import type { Track } from '../api/types.ts'
import { useAnswer } from '../api/use-answer.ts'
import { type Day, dayOf, dayRange } from '../ui/time/days.ts'
import { useUtc } from '../ui/time/time-zone.ts'

/** How often the track of today is asked for again: a day can have tens of thousands of positions. */
const TODAY_MS = 60_000

/** The track of an object on a day. The chart, the map and the totals of the day share one answer. */
export function useTrack(organization: number, object: number, day: Day) {
  const [utc] = useUtc()
  const { from, to } = dayRange(day, utc)
  return useAnswer<Track>(
    ['map', organization, 'object', object, 'track', from, to],
    `/organizations/${organization}/objects/${object}/track?from=${from}&to=${to}`,
    // Late positions may change a past day too.
    { staleTime: 30_000, everyMs: day < dayOf(Date.now(), utc) ? false : TODAY_MS },
  )
}
