import type { PlaceKind } from '../api/queries.ts'
import type { Geofence, GeofencePatch, Route, RoutePatch, Site, SitePatch } from '../api/types.ts'
import type { Place } from './kinds.ts'

/** All that a place of any kind may have; each kind has its part of it. */
export type PlaceDraft = {
  name: string
  description: string | null
  color: string | null
  deviation: number | null
  icon: string | null
  ring: [number, number][]
  lines: [number, number][][]
  circle: { latitude: number; longitude: number; radius: number | null } | null
}

const BLANK: PlaceDraft = {
  name: '',
  description: null,
  color: null,
  deviation: null,
  icon: null,
  ring: [],
  lines: [],
  circle: null,
}

export function draftOf(kind: PlaceKind, place: Place | null): PlaceDraft {
  if (place === null) return BLANK
  const { name, description } = place
  const base = { ...BLANK, name, description }
  switch (kind) {
    case 'geofences': {
      const { color, coordinates } = place as Geofence
      return { ...base, color, ring: coordinates }
    }
    case 'routes': {
      const { color, deviation, coordinates } = place as Route
      return { ...base, color, deviation, lines: coordinates }
    }
    case 'sites': {
      const { icon, latitude, longitude, radius } = place as Site
      return { ...base, icon, circle: { latitude, longitude, radius } }
    }
  }
}

/** What is still to be drawn, in words; null where it is whole. */
export function unfinished(kind: PlaceKind, draft: PlaceDraft): string | null {
  switch (kind) {
    case 'geofences':
      return new Set(draft.ring.map(String)).size < 3
        ? 'Draw its outline on the map: three corners at least.'
        : null
    case 'routes':
      return draft.lines.some((line) => line.length >= 2)
        ? null
        : 'Draw its way on the map: two points at least.'
    case 'sites':
      return draft.circle === null ? 'Place it on the map.' : null
  }
}

type Patch = GeofencePatch | RoutePatch | SitePatch

/** What is sent: all of a new place; of one that stands, what was changed. */
export function patchOf(kind: PlaceKind, place: Place | null, draft: PlaceDraft): Patch {
  const stands = draftOf(kind, place)
  const whole = place === null
  const part: Record<string, unknown> = {}
  for (const field of FIELDS[kind]) {
    if (whole || draft[field] !== stands[field]) part[field] = draft[field]
  }
  if (kind === 'geofences' && (whole || draft.ring !== stands.ring)) part.coordinates = draft.ring
  if (kind === 'routes' && (whole || draft.lines !== stands.lines)) {
    part.coordinates = draft.lines
    part.points = waypointsOf(draft.lines)
  }
  if (
    kind === 'sites' &&
    draft.circle !== null &&
    (whole || isMoved(draft.circle, place as Site))
  ) {
    Object.assign(part, draft.circle)
  }
  return part
}

const FIELDS: Record<PlaceKind, (keyof PlaceDraft)[]> = {
  geofences: ['name', 'description', 'color'],
  routes: ['name', 'description', 'color', 'deviation'],
  sites: ['name', 'description', 'icon'],
}

function isMoved(circle: NonNullable<PlaceDraft['circle']>, site: Site): boolean {
  return (
    circle.latitude !== site.latitude ||
    circle.longitude !== site.longitude ||
    circle.radius !== site.radius
  )
}

/** Beyond this many a line is not clicked together, but came from a file. */
const MOST_WAYPOINTS = 100

/** Of a way drawn by hand, each point it was drawn by; of a finer one, where its lines begin and end. */
function waypointsOf(lines: [number, number][][]): RoutePatch['points'] {
  const all = lines.flat()
  const chosen =
    all.length <= MOST_WAYPOINTS ? all : lines.flatMap((line) => [line[0]!, line.at(-1)!])
  return chosen.map((location, order) => ({ location, order }))
}
