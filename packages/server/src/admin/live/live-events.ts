import type { Movement } from './watched-fleet.ts'

/** The server-sent events of an update (HTML, 9.2): `objects` for new or moved objects, `gone` for removed ones. */
export function eventsOf({ moved, gone }: Movement): Buffer {
  const objects = gone.length === 0 || moved.length > 0 ? event('objects', { items: moved }) : ''
  const removed = gone.length > 0 ? event('gone', { ids: gone }) : ''
  return Buffer.from(objects + removed)
}

function event(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`
}
