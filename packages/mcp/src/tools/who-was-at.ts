import * as z from 'zod'
import { bounded, firstOf, limit, range, tool } from './tool.ts'

/** Places that one question may name. */
const MAX_PLACES = 20

export const whoWasAt = tool({
  name: 'who_was_at',
  title: 'Who was at a place',
  description:
    'The visits of vehicles to geofences and sites whose name contains a text, in a range of time. Uses up 1 of the daily quota of each vehicle in the answer.',
  input: z.object({ place: z.string().min(1).max(100), ...range, limit }),
  async answer(fleet, { place, from, to, limit }, signal) {
    const wanted = place.toLowerCase()
    const isNamed = ({ name }: { name: string }) => name.toLowerCase().includes(wanted)
    const geofences = bounded((await fleet.geofences.list({ signal })).filter(isNamed), MAX_PLACES)
    const sites = bounded((await fleet.sites.list({ signal })).filter(isNamed), MAX_PLACES)
    const named = [...geofences.rows, ...sites.rows]
    if (named.length === 0) return { places: [], visits: [], more: false }
    const { rows, more } = await firstOf(
      fleet.visits({
        ...{ from, to, pageSize: limit + 1, signal },
        ...(geofences.rows.length > 0 && { geofences: geofences.rows.map(({ id }) => id) }),
        ...(sites.rows.length > 0 && { sites: sites.rows.map(({ id }) => id) }),
      }),
      limit,
    )
    return {
      places: named.map(({ name }) => name),
      more_places: geofences.more || sites.more,
      visits: rows,
      more,
    }
  },
})
