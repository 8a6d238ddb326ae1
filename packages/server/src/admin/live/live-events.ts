import { toJson } from '../../domain/common/json.ts'
import { MOTION } from '../../operator/objects.ts'
import { list, plain, record } from '../../operator/schema.ts'
import type { LiveObject, Movement } from './watched-fleet.ts'

export const LIVE_OBJECTS = record(
  {
    items: list(
      plain<LiveObject>({
        type: 'array',
        prefixItems: [
          { type: 'integer', description: 'Id of the object.' },
          { type: 'number', description: 'Longitude.' },
          { type: 'number', description: 'Latitude.' },
          { type: ['number', 'null'], description: 'Heading, degrees.' },
          { type: ['number', 'null'], description: 'Speed, in the distance unit per hour.' },
          MOTION.schema,
          {
            type: 'integer',
            description: 'When the position was taken: milliseconds since the epoch.',
          },
        ],
        description: 'Where an object is, by columns.',
      }),
    ),
  },
  'Where objects are. The first event has all that have a position, the others have those that changed.',
  'LiveObjects',
)

/** The server-sent event (HTML, 9.2) with which a stream begins. */
export function wholeEvent(all: readonly LiveObject[]): Buffer {
  return Buffer.from(event('objects', { items: all }))
}

/**
 * The events of an update: `objects` for new or moved objects, `gone` for removed ones, and `settings` if lists of
 * objects are outdated. Null if nothing has changed.
 */
export function updateEvents({ moved, gone }: Movement, areListsOutdated: boolean): Buffer | null {
  const events = [
    moved.length > 0 ? event('objects', { items: moved }) : '',
    gone.length > 0 ? event('gone', { ids: gone }) : '',
    areListsOutdated ? event('settings', {}) : '',
  ].join('')
  return events === '' ? null : Buffer.from(events)
}

function event(name: string, data: object): string {
  return `event: ${name}\ndata: ${toJson(data)}\n\n`
}
