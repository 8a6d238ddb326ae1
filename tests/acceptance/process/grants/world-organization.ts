import type { Grant } from '../../../../packages/server/src/base/domain/grant.ts'
import { BEGIN, LAST, MINUTE, OBJECTS } from '../../../chaos/grants/any-world.ts'
import type { Operator } from '../../harness/admin.ts'
import type { Json } from '../../harness/fleetgate.ts'

/*
 * An organization that is a world: three objects, a geofence, a route and a catalogue of attributes.
 */

/** Ids that no other number of an answer equals. They have the same order and length in each world. */
const FIRST_ID = 710_000_000
const IDS_OF_A_WORLD = 10
const PLACE = OBJECTS.length + 1

const SQUARE = [
  [0, 0],
  [1.05, 0],
  [1.05, 2],
  [0, 2],
]

export type WorldIds = {
  object(number: number): number
  /** The id of the geofence, and of the route. */
  place: number
  /** The text with the same ids for each world. */
  masked(text: string): string
}

export function idsOf(world: number): WorldIds {
  const first = FIRST_ID + world * IDS_OF_A_WORLD
  const own = new RegExp(`${first / IDS_OF_A_WORLD}(\\d)`, 'g')
  return {
    object: (number) => first + number,
    place: first + PLACE,
    masked: (text) => text.replaceAll(own, 'id-$1'),
  }
}

/** Creates the organization. Returns its path. */
export async function newOrganization(operator: Operator, ids: WorldIds): Promise<string> {
  const settings = { name: 'Acme', window_requests: 1_000 }
  const { id } = await operator.post('/organizations', settings)
  const at = `/organizations/${id}`
  const rows = OBJECTS.map((number) => `${ids.object(number)},${number},${number}`)
  await imported(operator, `${at}/import/objects?file=a.csv`, ['id,ident,name', ...rows].join('\n'))
  await operator.patch(`${at}/attributes`, entry('door', { type: 'boolean' }))
  await operator.patch(`${at}/attributes`, entry('driver', { type: 'text' }))
  await operator.patch(`${at}/attributes`, entry('fuel', { type: 'number', is_level: true }))
  const place = { id: ids.place, name: 'Place' }
  const ring = { type: 'Polygon', coordinates: [[...SQUARE, SQUARE[0]]] }
  await imported(operator, `${at}/import/geofences?file=a.geojson`, collection(place, ring))
  const line = { type: 'MultiLineString', coordinates: [SQUARE] }
  const route = { ...place, deviation: 50 }
  await imported(operator, `${at}/import/routes?file=a.geojson`, collection(route, line))
  return at
}

const entry = (name: string, more: Json) => ({ name, label: name, is_public: true, ...more })

function collection(properties: Json, geometry: Json): string {
  const features = [{ type: 'Feature', properties, geometry }]
  return JSON.stringify({ type: 'FeatureCollection', features })
}

async function imported(operator: Operator, path: string, body: string): Promise<void> {
  const { status, text, json } = await operator.ask('POST', path, { body })
  if (status !== 200 || json.rejected > 0) throw new Error(`${status} ${text}`)
}

/** The grants of a world, as the admin API takes them. */
export function grantsFor(grants: readonly Grant[], ids: WorldIds): Json[] {
  return grants.map(({ objects, from, until, attributes }) => ({
    ...{ objects: objects!.map(ids.object), attributes },
    ...{ from: instantOf(from!), until: instantOf(until!) },
  }))
}

export function instantOf(time: number): string {
  return new Date(time).toISOString()
}

/** All of the drives. */
export const WHOLE = `from_time=${instantOf(BEGIN)}&to_time=${instantOf(BEGIN + 9 * LAST * MINUTE)}`
