import type { LiveObject } from '../documentation/schemas.ts'
import type { Movement } from './watched-fleet.ts'

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
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}
