import { refuseBrowsers } from './browser.ts'
import { systemClock } from './clock.ts'
import { type Ask, ask, type Connection, PREFIX } from './connection.ts'
import { ConnectionError, NotFoundError } from './errors.ts'
import { type HistoryRange, history } from './history.ts'
import type {
  FleetObject,
  Geofence,
  Health,
  LatestPosition,
  ObjectDetail,
  Position,
  Route,
  Site,
} from './types.ts'
import { requestWindow } from './window.ts'

export type FleetgateOptions = {
  /** Where the API is: `https://fleet.example.com`, with or without `/public/v1`. */
  baseUrl: string
  /** From the environment or a secret store; never in a program's text. */
  apiKey: string
  /** How often a request that was refused for now (429, 503) is sent again. 5 unless told. */
  retries?: number
  /** How long an answer may take to begin, milliseconds. 30,000 unless told. */
  timeoutMs?: number
  /** In place of the runtime's own. */
  fetch?: typeof fetch
}

/** What every call takes besides. */
export type CallOptions = { signal?: AbortSignal }

const MOST_IDS = 1_000

/**
 * A client of one organization's key. Use one for the whole program: it keeps under the organization's
 * rate window for all calls that go through it. Calls reject with a `FleetgateError` where the server
 * refuses, a `ConnectionError` where no whole answer comes, and with the signal's reason.
 */
export class Fleetgate {
  readonly #connection: Connection

  constructor({
    baseUrl,
    apiKey,
    retries = 5,
    timeoutMs = 30_000,
    fetch = globalThis.fetch,
  }: FleetgateOptions) {
    refuseBrowsers(globalThis)
    if (apiKey === '') throw new TypeError('apiKey is empty')
    this.#connection = {
      base: baseOf(baseUrl),
      apiKey,
      fetch,
      window: requestWindow(systemClock),
      clock: systemClock,
      retries,
      timeoutMs,
      random: Math.random,
    }
  }

  readonly objects = {
    /** All objects of the organization, by id. */
    list: (options?: CallOptions): Promise<FleetObject[]> => this.#get('/objects', options),
    /** One object and where it is. Adds 1 to its daily counter. */
    get: (id: number, options?: CallOptions): Promise<ObjectDetail> =>
      this.#get(`/objects/${id}`, options, { isCharged: true }),
  }

  readonly positions = {
    /**
     * The last position of each of any number of objects, in their order; those that the organization
     * does not have are left out. Charges 1 to each; if one has nothing left, none of the thousand that it
     * is asked with are charged. Where the organization has none of them: `NotFoundError`.
     */
    latest: (ids: Iterable<number>, options?: CallOptions): Promise<LatestPosition[]> =>
      this.#latest([...new Set(ids)], options),
    /**
     * An object's positions from `from` to `to`, both included, by time. They are read as they come, so
     * that any number of them takes the same memory. Charges 1 for each page; without `pageSize` all are
     * one page.
     */
    history: (id: number, range: HistoryRange): AsyncGenerator<Position, void, undefined> =>
      history(this.#connection, id, range),
  }

  readonly geofences = {
    list: (options?: CallOptions): Promise<Geofence[]> => this.#get('/geofences', options),
  }

  readonly routes = {
    list: (options?: CallOptions): Promise<Route[]> => this.#get('/routes', options),
  }

  readonly sites = {
    list: (options?: CallOptions): Promise<Site[]> => this.#get('/sites', options),
  }

  /** Whether the server is there. Needs no key. */
  ping(options?: CallOptions): Promise<Health> {
    return this.#get('/ping', options, { isPublic: true })
  }

  async #latest(ids: number[], options: CallOptions | undefined): Promise<LatestPosition[]> {
    if (ids.length === 0) return []
    const parts = Array.from({ length: Math.ceil(ids.length / MOST_IDS) }, (_, i) =>
      ids.slice(i * MOST_IDS, (i + 1) * MOST_IDS),
    )
    const rows: LatestPosition[] = []
    let missing: NotFoundError | undefined
    // One after the other: where one is refused, those behind it are not charged.
    for (const part of parts) {
      try {
        rows.push(
          ...(await this.#get<LatestPosition[]>(`/positions/latest?ids=${part}`, options, {
            isCharged: true,
          })),
        )
      } catch (error) {
        if (!(error instanceof NotFoundError)) throw error
        missing = error
      }
    }
    if (rows.length === 0 && missing !== undefined) throw missing
    return rows
  }

  async #get<Result>(
    path: string,
    options?: CallOptions,
    kind: Partial<Pick<Ask, 'isCharged' | 'isPublic'>> = {},
  ): Promise<Result> {
    const request = { path, signal: options?.signal, isCharged: false, isPublic: false, ...kind }
    const { result } = await ask(this.#connection, request, wholeOf<{ result: Result }>)
    return result
  }
}

async function wholeOf<Body>(response: Response): Promise<Body> {
  try {
    return (await response.json()) as Body
  } catch (cause) {
    throw new ConnectionError('the answer broke off', { cause })
  }
}

function baseOf(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl)
  const path = pathname.replace(/\/+$/, '')
  return origin + (path.endsWith(PREFIX) ? path : path + PREFIX)
}
