import type { Json } from './fleetgate.ts'

export const RING = [
  [2.1, 41.3],
  [2.2, 41.3],
  [2.2, 41.4],
  [2.1, 41.3],
]
/**
 * A kind of items that have settings alone, by its path. `made`: a body, with no more than it must have. `left`: the fields that
 * it leaves out. `change`: other values of them. `wrong`: values that no limit of a schema excludes, which
 * `admin/limits.test.ts` tries.
 */
export type Kind = {
  path: string
  made: Json
  left: Json
  change: Json
  wrong: [string, unknown][]
}
export const KINDS: Kind[] = [
  {
    path: 'geofences',
    made: { name: 'Depot ç', coordinates: RING },
    left: { description: null, color: null },
    change: {
      color: '#ff8800',
      coordinates: [...RING.slice(0, 3), [2.1, 41.4]],
      description: 'a\nb',
    },
    wrong: [
      ['color', 'red'],
      ['coordinates', [['2', 1], ...RING]],
      ['coordinates', [RING[0], RING[2], RING[1], [2.1, 41.4]]],
    ],
  },
  {
    path: 'routes',
    made: {
      name: 'Line 7',
      coordinates: [RING, RING.slice(1)],
      points: [{ location: RING[0], order: 1 }],
    },
    left: { description: null, color: null, deviation: null },
    change: { deviation: 25.5, points: [], color: '#abc' },
    wrong: [
      [
        'points',
        [
          { location: [0, 0], order: 1 },
          { location: [1, 1], order: 1 },
        ],
      ],
    ],
  },
  {
    path: 'sites',
    made: { name: 'Fuel', latitude: -33.85, longitude: 151.2 },
    left: { description: null, icon: null, radius: null },
    change: { radius: 120, icon: 'pump', latitude: 0 },
    wrong: [['latitude', 90.1]],
  },
]
