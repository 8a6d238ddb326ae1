import { decodedOrUndefined } from '../../../read/exchange/request.ts'
import {
  malformedRequest,
  methodNotAllowed,
  pathNotFound,
  type Refusal,
} from '../../../read/refusal.ts'
import { type Operation, PREFIX } from '../operation.ts'
import { fleetPositions } from './fleet-positions.ts'
import { getAdherence } from './get-adherence.ts'
import { getObject } from './get-object.ts'
import { latestPositions } from './latest-positions.ts'
import { listChanges } from './list-changes.ts'
import { listCoverage } from './list-coverage.ts'
import { listDays } from './list-days.ts'
import { listAttributes, listListed, listObjects } from './list-items.ts'
import { listPositions } from './list-positions.ts'
import { listLevels, listStops, listTrips, listVisits } from './list-records.ts'
import { positionsAt } from './positions-at.ts'
import { getKey, getUsage, ping } from './service.ts'

/** Everything that the public API does, in the order of the description. */
export const OPERATIONS: readonly Operation[] = [
  listObjects,
  getObject,
  listPositions,
  latestPositions,
  positionsAt,
  fleetPositions,
  listChanges,
  listTrips,
  listStops,
  listVisits,
  listLevels,
  listDays,
  listCoverage,
  listAttributes,
  ...listListed,
  getAdherence,
  getKey,
  getUsage,
  ping,
]

export type MatchedRoute = {
  operation: Operation
  /** The path's `{id}`, decoded and as sent. Empty if the path has none. */
  id: string
  /** The query without its question mark. */
  search: string
}

/** The operations by path, without the leading slash. */
const BY_PATH = new Map(OPERATIONS.map((operation) => [operation.path.slice(1), operation]))

const ID = '{id}'

/** The paths with an id: what is before it, and the possible paths after it. */
const WITH_ID = new Map<string, Map<string, Operation>>()
for (const [path, operation] of BY_PATH) {
  const at = path.indexOf(ID)
  if (at === -1) continue
  const before = path.slice(0, at)
  const after = WITH_ID.get(before) ?? new Map<string, Operation>()
  WITH_ID.set(before, after.set(path.slice(at + ID.length), operation))
  BY_PATH.delete(path)
}

const BASE = `${PREFIX}/`
const METHODS = 'GET, HEAD'

/** The operation for a request target, or why there is none. */
export function findRoute(method: string, target: string): MatchedRoute | Refusal {
  const question = target.indexOf('?')
  const path = question === -1 ? target : target.slice(0, question)
  const found = path.startsWith(BASE) ? matchPath(path.slice(BASE.length)) : undefined
  if (found === undefined) {
    return path.includes('%') && decodedOrUndefined(path) === undefined
      ? malformedRequest
      : pathNotFound
  }
  if ('status' in found) return found
  if (method !== 'GET' && method !== 'HEAD') return methodNotAllowed(METHODS)
  const { operation, id } = found
  return { operation, id, search: question === -1 ? '' : target.slice(question + 1) }
}

type Match = { operation: Operation; id: string }

/** Only the second segment of a path varies. */
function matchPath(encoded: string): Match | Refusal | undefined {
  const path = encoded.includes('%') ? decodedPath(encoded) : encoded
  if (path === undefined) return malformedRequest
  for (const [before, after] of WITH_ID) {
    if (path.startsWith(before)) return matchAfter(path, before.length, after)
  }
  const operation = BY_PATH.get(path)
  return operation && { operation, id: '' }
}

/** `start`: the index of the id in the path. */
function matchAfter(
  path: string,
  start: number,
  after: ReadonlyMap<string, Operation>,
): Match | undefined {
  const slash = path.indexOf('/', start)
  const end = slash === -1 ? path.length : slash
  const id = path.slice(start, end)
  const operation = id === '' ? undefined : after.get(path.slice(end))
  return operation && { operation, id: id.includes('%') ? decodeURIComponent(id) : id }
}

/**
 * The path without percent-encoding, except slashes within a segment and percent signs. Undefined if it
 * is malformed.
 */
function decodedPath(encoded: string): string | undefined {
  const decoded = encoded.split('/').map(decodedOrUndefined)
  if (decoded.includes(undefined)) return undefined
  return decoded.map((segment) => segment!.replace(/[%/]/g, encodeURIComponent)).join('/')
}
