import * as z from 'zod'
import { bySkip, fitted } from '../fitted.ts'
import { MAX_NAMES, middlesOf, type Place, placesNamed } from '../places.ts'
import { exhaustedPart, skippingExhausted } from '../skipping.ts'
import { ToolFault } from '../tool-fault.ts'
import { boxAround, distanceKm, type Point } from './around.ts'
import { POSITION_FIELDS, positionRow } from './position.ts'
import { clockOf, part, type Question, tool } from './tool.ts'

const MAX_RADIUS_KM = 200
const METRES = 1_000

export const vehiclesNear = tool({
  name: 'vehicles_near',
  title: 'Vehicles near a point',
  description: `Vehicles whose last position is within a radius of a point, the nearest first. The point is given by latitude and longitude, or by the name of a geofence or site, whose middle counts. distance_km is the straight line, not the way by road.
${POSITION_FIELDS} A vehicle without a signal may be elsewhere by now, and one that is near may have no recent position: max_age_minutes leaves out old positions. Vehicles that never had a position are nowhere; vehicles_without_position counts them.
Charges 1 of the daily quota of each vehicle in the square around the circle; another call for the rest charges again.`,
  input: z.strictObject({
    latitude: z.number().min(-90).max(90).optional().describe('degrees (WGS 84)'),
    longitude: z.number().min(-180).max(180).optional().describe('degrees (WGS 84)'),
    place: z
      .string()
      .min(1)
      .max(100)
      .optional()
      .describe('instead: the name of a geofence or site'),
    radius_km: z
      .number()
      .positive()
      .max(MAX_RADIUS_KM)
      .default(5)
      .describe('in kilometers, even where distance_unit is mi'),
    max_age_minutes: z.int().positive().optional().describe('only positions that are newer'),
    ...part,
  }),
  async answer(question, { radius_km: radius, max_age_minutes, limit, skip, ...point }) {
    const { fleet, now, unit, signal } = question
    const { center, name } = await centerOf(point, question)
    const { read, exhausted } = await skippingExhausted((skipExhausted) =>
      fleet.api.positions.latest('all', {
        ...{ signal, skipExhausted, box: boxAround(center, radius) },
        ...(max_age_minutes !== undefined && { maxAge: max_age_minutes * 60 }),
      }),
    )
    const near = read
      .map((row) => ({ row, distance: distanceKm(center, row as Point) }))
      .filter(({ distance }) => distance <= radius)
      .sort((a, b) => a.distance - b.distance)
    const vehicles = await fleet.vehicles()
    const rows = near.map(({ row, distance }) => ({
      distance_km: Math.round(distance * METRES) / METRES,
      ...positionRow(row, vehicles, question, now),
    }))
    const head = {
      ...clockOf(question),
      distance_unit: unit,
      center: { ...(name !== undefined && { place: name }), ...center },
      count: rows.length,
      vehicles_without_position: [...vehicles.values()].filter(({ time_device }) => !time_device)
        .length,
      ...exhaustedPart(exhausted, now),
    }
    const rest = bySkip('ask with a smaller radius_km')
    return fitted(head, 'vehicles', rows, { skip, limit, rest })
  },
})

type Given = Partial<Point> & { place?: string | undefined }

async function centerOf(
  { latitude, longitude, place }: Given,
  question: Question,
): Promise<{ center: Point; name?: string }> {
  const hasPoint = latitude !== undefined && longitude !== undefined
  if (hasPoint && place === undefined) return { center: { latitude, longitude } }
  if (place === undefined || latitude !== undefined || longitude !== undefined) {
    throw new ToolFault('Give either latitude and longitude, or place.')
  }
  const { places } = await placesNamed(place, question)
  if (places.length === 1) return onlyMiddleOf(places[0]!)
  const names = places.slice(0, MAX_NAMES).map(({ name }) => name)
  throw new ToolFault(
    `${places.length} places have '${place}' in their name. Ask with one of them: ${names.join(' | ')}.`,
  )
}

function onlyMiddleOf(place: Place): { center: Point; name: string } {
  const { name } = place
  const [center, ...others] = middlesOf(place)
  if (others.length === 0) return { center: center!, name }
  const points = [center!, ...others].slice(0, MAX_NAMES)
  const texts = points.map(({ latitude, longitude }) => `${latitude}, ${longitude}`)
  throw new ToolFault(
    `${others.length + 1} places have the name '${name}'. Ask with latitude and longitude of one of them: ${texts.join(' | ')}.`,
  )
}
