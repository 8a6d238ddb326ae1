import type { PlaceRoom } from '../../../domain/place-limits.ts'
import { statement } from '../connection/connections.ts'
import type { OrganizationWrite } from './organization-writes.ts'

const LIMITS = statement(`
  SELECT max_places AS "maxPlaces", max_vertices AS "maxVertices" FROM organizations WHERE id = $1
`)
const COUNTS = [
  'SELECT count(*)::int AS places, coalesce(sum(vertices), 0)::int AS vertices FROM geofences WHERE organization = $1',
  'SELECT count(*)::int AS places, coalesce(sum(vertices), 0)::int AS vertices FROM routes WHERE organization = $1',
  'SELECT count(*)::int AS places, 0 AS vertices FROM sites WHERE organization = $1',
].map(statement)

type Counts = Pick<PlaceRoom, 'places' | 'vertices'>

/** The places and vertices that the organization may have and has. */
export async function placeRoom(write: OrganizationWrite): Promise<PlaceRoom> {
  const values = [write.organization]
  const [[limits], ...counts] = await Promise.all([
    write.query<Pick<PlaceRoom, 'maxPlaces' | 'maxVertices'>>(LIMITS, values),
    ...COUNTS.map((count) => write.query<Counts>(count, values)),
  ])
  const sumOf = (which: keyof Counts) => counts.reduce((sum, [count]) => sum + count![which], 0)
  return { ...limits!, places: sumOf('places'), vertices: sumOf('vertices') }
}
