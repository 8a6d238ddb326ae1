import { runAtOnce } from '../../../server/src/base/domain/common/steps.ts'
import { hasNoWidth } from '../../../server/src/base/domain/places/antimeridian-join.ts'
import { crossingOf } from '../../../server/src/base/domain/places/place.ts'
import type { PlaceKind } from '../api/queries.ts'
import type { Geofence, GeofencePatch, Route, RoutePatch, Site, SitePatch } from '../api/types.ts'
import { t } from '../language/text.ts'
import type { Place } from '../ui/place-kinds.ts'

/** The fields of a place of any kind. Each kind uses some of them. */
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

/** A sentence that says what is still to be drawn. Null if the shape is complete. */
export function unfinished(kind: PlaceKind, draft: PlaceDraft): string | null {
  switch (kind) {
    case 'geofences':
      return unfinishedRing(draft.ring)
    case 'routes':
      return draft.lines.some((line) => line.length >= 2)
        ? null
        : t('Draw a line with at least two points on the map.')
    case 'sites':
      return draft.circle === null ? t('Place the site on the map.') : null
  }
}

function unfinishedRing(ring: PlaceDraft['ring']): string | null {
  if (new Set(ring.map(String)).size < 3) {
    return t('Draw an outline with at least three corners on the map.')
  }
  if (hasNoWidth(ring))
    return t('All corners are on the 180° meridian, so the geofence has no width. Move a corner.')
  const crossing = runAtOnce(crossingOf(ring))
  if (crossing === null) return null
  const [longitude, latitude] = crossing.map((degrees) => degrees.toFixed(5)) as [string, string]
  return t('The outline crosses itself near {{latitude}}, {{longitude}}. Move a corner.', {
    latitude,
    longitude,
  })
}

type Patch = GeofencePatch | RoutePatch | SitePatch

/** The request body: all fields of a new place, the changed fields of an existing one. */
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

/** A line with more points was not clicked by hand; it came from a file. */
const MAX_WAYPOINTS = 100

/** The points to edit: each point of a short line, only the ends of a long one. */
function waypointsOf(lines: [number, number][][]): RoutePatch['points'] {
  const all = lines.flat()
  const chosen =
    all.length <= MAX_WAYPOINTS ? all : lines.flatMap((line) => [line[0]!, line.at(-1)!])
  return chosen.map((location, order) => ({ location, order }))
}
