import { IDENTS } from './fleet-data.ts'

export type FeedFormat = {
  methods: readonly string[]
  maxBytes: number
  /** A body that is answered with 200, about the van. */
  body: string
}

const KIB = 1024
const TIME = '2024-06-01T08:00:00Z'

/** The formats of the feed by their names in the path. */
export const FEED_FORMATS: Record<string, FeedFormat> = {
  positions: {
    methods: ['POST'],
    maxBytes: 8 * KIB * KIB,
    body: JSON.stringify([
      { ident: IDENTS.van, time_device: TIME, latitude: 41.4, longitude: 2.2 },
    ]),
  },
  osmand: {
    methods: ['GET', 'POST'],
    maxBytes: 2 * KIB * KIB,
    body: `id=${IDENTS.van}&timestamp=${TIME}&lat=41.4&lon=2.2`,
  },
  traccar: {
    methods: ['POST'],
    maxBytes: 256 * KIB,
    body: JSON.stringify({
      position: { fixTime: TIME, latitude: 41.4, longitude: 2.2 },
      device: { uniqueId: IDENTS.van },
    }),
  },
  overland: {
    methods: ['POST'],
    maxBytes: 2 * KIB * KIB,
    body: JSON.stringify({
      locations: [
        {
          geometry: { type: 'Point', coordinates: [2.2, 41.4] },
          properties: { timestamp: TIME, device_id: IDENTS.van },
        },
      ],
    }),
  },
  owntracks: {
    methods: ['POST'],
    maxBytes: 256 * KIB,
    body: JSON.stringify({
      ...{ _type: 'location', topic: IDENTS.van, tst: 1_717_228_800, lat: 41.4, lon: 2.2 },
    }),
  },
}
