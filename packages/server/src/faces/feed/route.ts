import { type FeedRefusal, methodNotAllowed, pathNotFound } from './feed-refusal.ts'
import type { Format } from './formats/format.ts'
import { native } from './formats/native.ts'
import { osmand } from './formats/osmand.ts'
import { overland } from './formats/overland.ts'
import { owntracks } from './formats/owntracks.ts'
import { traccar } from './formats/traccar.ts'

type FeedRoute = {
  format: Format
  /** The token, if the path holds one. Neither the token nor the path may be logged. */
  token: string | undefined
  /** The raw query, without `?`. */
  query: string
}

const FORMATS: readonly Format[] = [native, osmand, traccar, owntracks, overland]

const NO_SUCH_PATH = pathNotFound(FORMATS.map(({ name }) => name))

const PREFIX = '/feed/v1/'

const ORIGIN = /^https?:\/\/[^/?#]*/i

/**
 * Routes `/feed/v1/FORMAT`, and `/feed/v1/TOKEN/FORMAT` for clients that can only set a URL. Some of them
 * add a slash.
 */
export function findRoute(method: string, target: string): FeedRoute | FeedRefusal {
  const local = target.startsWith('/') ? target : target.replace(ORIGIN, '')
  const mark = local.indexOf('?')
  const path = mark === -1 ? local : local.slice(0, mark)
  if (!path.startsWith(PREFIX)) return NO_SUCH_PATH
  const parts = path.slice(PREFIX.length, path.endsWith('/') ? -1 : undefined).split('/')
  const format = parts.length > 2 ? undefined : FORMATS.find(({ name }) => name === parts.at(-1))
  if (format === undefined) return NO_SUCH_PATH
  if (!format.methods.includes(method)) return methodNotAllowed(format.methods.join(', '))
  const query = mark === -1 ? '' : local.slice(mark + 1)
  return { format, token: parts.length === 2 ? parts[0] : undefined, query }
}
