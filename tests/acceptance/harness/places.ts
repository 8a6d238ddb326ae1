/** GeoJSON for the full organizations, as an operator imports it. */
const collection = (features: { properties: object; geometry: object }[]) => ({
  type: 'FeatureCollection',
  features: features.map((feature) => ({ type: 'Feature', ...feature })),
})

export const DEPOT_RING = [
  [28.9501234, 41.0101234],
  [28.9601234, 41.0101234],
  [28.9601234, 41.0201234],
  [28.9501234, 41.0101234],
]

export const GEOFENCES = collection([
  {
    properties: { name: 'Depot', description: 'Main yard', color: '#FF8800' },
    geometry: { type: 'Polygon', coordinates: [DEPOT_RING] },
  },
  {
    properties: { name: 'Old town' },
    geometry: {
      type: 'Polygon',
      coordinates: [
        [
          [28.97, 41.0],
          [28.98, 41.0],
          [28.98, 41.01],
          [28.97, 41.0],
        ],
      ],
    },
  },
])

export const ROUTE_LINES = [
  [
    [28.95, 41.01],
    [28.96, 41.015],
  ],
  [
    [28.97, 41.02],
    [28.98, 41.025],
    [28.99, 41.03],
  ],
]
export const ROUTE_POINTS = [
  { location: [28.95, 41.01], order: 1 },
  { location: [28.99, 41.03], order: 2 },
]

/** `id`: of the round, which every organization has. Only the full ones have the shuttle. */
export function routesOf(id: number, isFull: boolean) {
  const round = {
    properties: {
      id,
      name: 'Morning round',
      description: 'Depot to harbour',
      color: '#0088ff',
      deviation: 120.5,
      points: ROUTE_POINTS,
    },
    geometry: { type: 'MultiLineString', coordinates: ROUTE_LINES },
  }
  const shuttle = {
    properties: { id: id + 1, name: 'Shuttle' },
    geometry: { type: 'LineString', coordinates: ROUTE_LINES[0] },
  }
  return collection(isFull ? [round, shuttle] : [round])
}

export const SITES = collection([
  {
    properties: { name: 'Fuel', description: 'Card 7 only', icon: 'fuel', radius: 75.5 },
    geometry: { type: 'Point', coordinates: [28.9512345, 41.0098765] },
  },
  {
    properties: { name: 'Customer' },
    geometry: { type: 'Point', coordinates: [29.0, 41.05] },
  },
])
