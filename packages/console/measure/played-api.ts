import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { extname, join } from 'node:path'
import type { LiveObject, MovingFleet } from './moving-fleet.ts'

/** As the admin listener sends it. */
const POLICY =
  "default-src 'self'; script-src 'self'; worker-src 'self' blob:; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'"

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.css': 'text/css',
  '.json': 'application/json',
}

export type Played = {
  /** Objects that move in a second. */
  perSecond: number
  /** Events of the stream in a second. */
  eventsPerSecond: number
}

export type Answers = Record<string, unknown | ((url: URL) => unknown)>

/** Serves a built page, and plays as much of the admin API as the map asks for. */
export function playApi(
  files: string,
  fleet: MovingFleet,
  played: Played,
  more: Answers = {},
): Server {
  const answers: Answers = {
    '/admin/v1/server': {
      version: '0',
      map: { tiles_url: null, tiles_file: null, attribution: null },
    },
    '/admin/v1/organizations/1': { id: 1, name: 'Measured', distance_unit: 'km' },
    '/admin/v1/organizations/1/objects': () => ({ items: fleet.all().map(named) }),
    '/admin/v1/organizations/1/geofences': { items: [] },
    '/admin/v1/organizations/1/routes': { items: [] },
    '/admin/v1/organizations/1/sites': { items: [] },
    ...more,
  }
  return createServer((request, response) => {
    const url = new URL(request.url!, 'http://localhost')
    if (url.pathname.endsWith('/live')) return stream(request, response, fleet, played)
    if (url.pathname.startsWith('/admin/')) {
      const answer = answers[url.pathname]
      const body = typeof answer === 'function' ? answer(url) : answer
      response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' })
      response.end(
        JSON.stringify(body ?? { code: 'not_found', message: 'Nothing is there.', field: null }),
      )
      return
    }
    void file(files, url.pathname, response)
  })
}

/** As much of an object as its name on the map needs. */
function named([id]: LiveObject) {
  return { id, name: `Van ${id}`, ident: String(id), plate_number: null }
}

function stream(
  request: IncomingMessage,
  response: ServerResponse,
  fleet: MovingFleet,
  { perSecond, eventsPerSecond }: Played,
): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const tell = (items: unknown) =>
    response.write(`event: objects\ndata: ${JSON.stringify({ items })}\n\n`)
  tell(fleet.all())
  const timer = setInterval(() => {
    if (perSecond > 0) tell(fleet.move(Math.round(perSecond / eventsPerSecond), Date.now()))
  }, 1000 / eventsPerSecond)
  request.on('close', () => clearInterval(timer))
}

async function file(files: string, path: string, response: ServerResponse): Promise<void> {
  const name = path === '/' ? 'index.html' : path
  try {
    const body = await readFile(join(files, name))
    response.writeHead(200, {
      'content-type': TYPES[extname(name)] ?? 'application/octet-stream',
      'content-security-policy': POLICY,
    })
    response.end(body)
  } catch {
    response.writeHead(404).end()
  }
}
