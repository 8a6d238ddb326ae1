import type { LonLat } from '../../packages/server/src/base/domain/places/place.ts'
import { type Point, points, toLonLat } from '../demo/plane.ts'

/** The corners of the demo's map, degrees. */
export const LOW: LonLat = [1.95, 41.22]
export const HIGH: LonLat = [2.42, 41.56]

/** The shore from the mouth of the Besòs to the container port: meters along and up, in turn. */
const SHORE = points([
  4600, -1900, 3600, -1880, 2700, -2000, 1906, -2150, 1400, -2120, 900, -2250, 450, -2450, 250,
  -2700, 120, -2300, 300, -1950, 100, -1880, -520, -1890, -900, -2130, -1500, -2450, -1900, -2800,
  -2100, -3150, -2700, -3200, -3500, -3100, -4300, -3300, -5200, -3600, -9000, -5800,
])

/** The sea, within the corners. */
export const SEA: LonLat[] = [
  [HIGH[0], 41.515],
  [2.32, 41.474],
  [2.25, 41.446],
  ...SHORE.map(toLonLat),
  [2.08, 41.278],
  [1.975, 41.263],
  [LOW[0], 41.26],
  LOW,
  [HIGH[0], LOW[1]],
]

/** The beaches, 70 m wide. */
export const BEACH: LonLat[] = [
  ...SHORE.slice(1, 7),
  ...SHORE.slice(1, 7)
    .map(({ along, up }) => ({ along, up: up + 70 }))
    .reverse(),
].map(toLonLat)

/** Parks and the hills behind the city, by name. */
export const PARKS: Record<string, LonLat[]> = {
  'Parc de la Ciutadella': points([660, -760, 1400, -760, 1430, -1500, 820, -1640, 640, -1300]).map(
    toLonLat,
  ),
  Montjuïc: points([
    -1250, -1600, -2300, -560, -2900, -120, -3500, -900, -3400, -1900, -2500, -2330, -1500, -2020,
    -950, -1860,
  ]).map(toLonLat),
  'Parc de Joan Miró': points([-2260, 145, -2110, 145, -2110, 375, -2260, 375]).map(toLonLat),
  'Parc de les Glòries': around({ along: 2230, up: 0 }, 125).map(toLonLat),
  'Serra de Collserola': [
    [2.05, 41.4],
    [2.09, 41.418],
    [2.13, 41.432],
    [2.155, 41.446],
    [2.17, 41.475],
    [2.1, 41.462],
    [2.03, 41.43],
  ],
}

function around({ along, up }: Point, radius: number): Point[] {
  return Array.from({ length: 24 }, (_, i) => {
    const angle = (i / 24) * 2 * Math.PI
    return { along: along + radius * Math.cos(angle), up: up + radius * Math.sin(angle) }
  })
}
