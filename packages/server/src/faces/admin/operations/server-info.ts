import { VIEWERS } from '../../../acts/act.ts'
import * as doc from '../../../acts/document-schema.ts'
import { LANGUAGES } from '../../../base/domain/organization.ts'
import { type AdminApi, operations } from '../admin-api.ts'
import { describeTiles, type TilesFile } from '../map-tiles.ts'

const SERVER = doc.record(
  {
    version: doc.text('Version of the server.'),
    now: doc.instant('The current time of the server.'),
    api_url: doc.textOrNull(
      'The address of the public API, as printed at the start. Null: this process does not serve it.',
    ),
    feed_url: doc.textOrNull('The address of the feed. Null: this process does not serve it.'),
    map: doc.record(
      {
        tiles_url: doc.textOrNull(
          'Template of raster tiles with {z}, {x} and {y}. Null: none is configured.',
        ),
        tiles_file: doc.choiceOrNull(
          ['vector', 'raster'],
          'Type of the PMTiles file that `/server/map.pmtiles` answers with: vector tiles of the Protomaps basemap, or images. Null: there is no usable file.',
        ),
        attribution: doc.textOrNull('The attribution of the tiles, which the map must show.'),
      },
      'The base map.',
    ),
    languages: doc.texts('Languages of the API’s messages.'),
    time_zones: doc.texts('Names of time zones.'),
  },
  'The server and its configuration.',
  'Server',
)

export const SERVER_OPERATIONS = operations('Server', [
  {
    id: 'getServer',
    method: 'GET',
    path: '/server',
    who: VIEWERS,
    summary: 'The server and its configuration',
    answers: SERVER,
    async run({ api, now }) {
      const { about } = api
      const { type, attribution } = await tilesFile(api)
      return SERVER.write({
        ...about,
        now,
        map: {
          tilesUrl: about.tiles !== null && 'url' in about.tiles ? about.tiles.url : null,
          tilesFile: type,
          attribution: about.tilesAttribution ?? attribution,
        },
        languages: LANGUAGES,
        timeZones: ['UTC', ...Intl.supportedValuesOf('timeZone')],
      })
    },
  },
])

/** A tiles file that cannot be used any more is logged, and the map has no streets. */
async function tilesFile({
  about: { tiles },
  failed,
}: AdminApi): Promise<TilesFile | typeof NO_FILE> {
  if (tiles === null || 'url' in tiles) return NO_FILE
  return describeTiles(tiles.file).catch((error: unknown) => {
    failed(new Error('the file of map tiles cannot be used', { cause: error }))
    return NO_FILE
  })
}

const NO_FILE = { type: null, attribution: null }
