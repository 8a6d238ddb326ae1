import { LANGUAGES } from '../domain/organization.ts'
import { formatInstant } from '../domain/time.ts'
import type { AdminOperation } from './operation.ts'

export const SERVER_OPERATIONS: AdminOperation[] = [
  {
    id: 'getServer',
    method: 'GET',
    path: '/server',
    tag: 'Server',
    summary: 'The server and its configured surroundings',
    status: 200,
    answers: 'server',
    async run({ api: { about }, now }) {
      return {
        version: about.version,
        now: formatInstant(now),
        api_url: about.apiUrl,
        feed_url: about.feedUrl,
        map: { tiles_url: about.tilesUrl, attribution: about.tilesAttribution },
        languages: LANGUAGES,
        time_zones: ['UTC', ...Intl.supportedValuesOf('timeZone')],
      }
    },
  },
]
