import {
  malformedRequest,
  methodNotAllowed,
  pathNotFound,
  type Refusal,
} from '../domain/refusal.ts'
import { type Operation, PREFIX } from './operation.ts'
import { getObject } from './operations/get-object.ts'
import { latestPositions } from './operations/latest-positions.ts'
import { listGeofences, listObjects, listRoutes, listSites } from './operations/list-all.ts'
import { listPositions } from './operations/list-positions.ts'
import { ping } from './operations/ping.ts'
import { decodedOrUndefined } from './query.ts'

export type Route = {
  operation: Operation
  /** The path's `{id}`, decoded and as it was sent; empty where the path has none. */
  id: string
  /** The query, without its question mark. */
  search: string
}

const BY_PATH = new Map<string, Operation>([
  ['objects', listObjects],
  ['objects/{id}', getObject],
  ['objects/{id}/positions', listPositions],
  ['positions/latest', latestPositions],
  ['geofences', listGeofences],
  ['routes', listRoutes],
  ['sites', listSites],
  ['ping', ping],
])

const METHODS = 'GET, HEAD'

/** The operation that a request target names, or why there is none. */
export function findRoute(method: string, target: string): Route | Refusal {
  const question = target.indexOf('?')
  const path = question === -1 ? target : target.slice(0, question)
  const found = path.startsWith(`${PREFIX}/`) ? matchPath(path.slice(PREFIX.length + 1)) : undefined
  if (found === undefined) {
    return path.includes('%') && decodedOrUndefined(path) === undefined
      ? malformedRequest
      : pathNotFound
  }
  if ('status' in found) return found
  if (method !== 'GET' && method !== 'HEAD') return methodNotAllowed(METHODS)
  return { ...found, search: question === -1 ? '' : target.slice(question + 1) }
}

type Match = { operation: Operation; id: string }

/** The one segment that varies is the second of `objects/…`. */
function matchPath(path: string): Match | Refusal | undefined {
  const segments: string[] = []
  let id = ''
  for (const encoded of path.split('/')) {
    const segment = encoded.includes('%') ? decodedOrUndefined(encoded) : encoded
    if (segment === undefined) return malformedRequest
    if (segments.length === 1 && segments[0] === 'objects' && segment !== '') {
      id = segment
      segments.push('{id}')
    } else if (segment.includes('/')) {
      return undefined
    } else {
      segments.push(segment)
    }
  }
  const operation = BY_PATH.get(segments.join('/'))
  return operation === undefined ? undefined : { operation, id }
}
