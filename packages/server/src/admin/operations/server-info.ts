import { LANGUAGES } from '../../domain/organization.ts'
import { formatInstant } from '../../domain/time/time.ts'
import type { AdminApi } from '../admin-api.ts'
import { type AdminOperation, READ_ALL } from '../operation.ts'
import { describeTiles, type TilesFile } from '../tiles-file.ts'

export const SERVER_OPERATIONS: AdminOperation[] = [
  {
    id: 'getServer',
    method: 'GET',
    path: '/server',
    scopes: READ_ALL,
    tag: 'Server',
    summary: 'The server and its configured surroundings',
    status: 200,
    answers: 'server',
    async run({ api, now }) {
      const { about } = api
      const { type, attribution } = await tilesFile(api)
      return {
        version: about.version,
        now: formatInstant(now),
        api_url: about.apiUrl,
        feed_url: about.feedUrl,
        map: {
          tiles_url: about.tiles !== null && 'url' in about.tiles ? about.tiles.url : null,
          tiles_file: type,
          attribution: about.tilesAttribution ?? attribution,
        },
        languages: LANGUAGES,
        time_zones: ['UTC', ...Intl.supportedValuesOf('timeZone')],
      }
    },
  },
]

/** A file that cannot be used any more goes into the log. The map does without it. */
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
