import * as z from 'zod'
import { boxAround, distanceKm, type Point } from './around.ts'
import { placeOf } from './place-of.ts'
import { bounded, limit, tool } from './tool.ts'

const MAX_RADIUS_KM = 200
const METRES = 1_000

export const vehiclesNear = tool({
  name: 'vehicles_near',
  title: 'Vehicles near a point',
  description:
    'Vehicles whose last position is within a radius of a point, the nearest first, with the distance in kilometres. Uses up 1 of the daily quota of each vehicle in the square around the circle; vehicles without quota are left out.',
  input: z.object({
    latitude: z.number().min(-90).max(90),
    longitude: z.number().min(-180).max(180),
    radius_km: z.number().positive().max(MAX_RADIUS_KM).default(5),
    max_age_minutes: z.int().positive().optional().describe('only positions that are newer'),
    limit,
  }),
  async answer(fleet, { latitude, longitude, radius_km: radius, max_age_minutes, limit }, signal) {
    const center: Point = { latitude, longitude }
    const rows = await fleet.positions.latest('all', {
      ...{ signal, skipExhausted: true, box: boxAround(center, radius) },
      ...(max_age_minutes !== undefined && { maxAge: max_age_minutes * 60 }),
    })
    const near = rows
      .map((row) => ({ row, distance: distanceKm(center, row as Point) }))
      .filter(({ distance }) => distance <= radius)
      .sort((a, b) => a.distance - b.distance)
    const { rows: nearest, more } = bounded(near, limit)
    return {
      count: near.length,
      more,
      vehicles: nearest.map(({ row, distance }) => ({
        distance_km: Math.round(distance * METRES) / METRES,
        ...placeOf(row),
      })),
    }
  },
})
