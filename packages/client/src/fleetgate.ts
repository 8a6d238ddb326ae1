import type { AnswerInfo, RetryInfo } from './answer-info.ts'
import { resultIn } from './body.ts'
import { refuseBrowsers } from './browser.ts'
import { changes } from './changes/changes.ts'
import type { ChangesOptions } from './changes/changes-options.ts'
import type { ChangesPage } from './changes/changes-page.ts'
import { systemClock } from './clock.ts'
import { type Ask, ask, type CallOptions, type Connection, PREFIX } from './connection.ts'
import { NotFoundError } from './errors.ts'
import {
  type AttributeOptions,
  type HistoriesRange,
  historiesPath,
  type LatestOptions,
  latestPath,
  type ObjectFilter,
  objectPath,
  objectsPath,
  positionsAtPath,
  type RowOptions,
} from './fleet-positions.ts'
import { type HistoryRange, history, timeOf } from './history.ts'
import {
  type AdherenceRange,
  type CoverageRange,
  coverage,
  type DayRange,
  days,
  type LevelRange,
  records,
  rowsOfPages,
  type StopRange,
  type SummedRange,
  type VisitRange,
} from './records.ts'
import { type Replica, type ReplicaOptions, replica } from './replica/replica.ts'
import { splitIds } from './split-ids.ts'
import type {
  Adherence,
  Attribute,
  Coverage,
  Day,
  FleetObject,
  Geofence,
  Health,
  Key,
  LatestPosition,
  Level,
  ObjectDetail,
  Position,
  Route,
  Site,
  Stop,
  Trip,
  Usage,
  Visit,
} from './types.ts'
import { requestWindow } from './window.ts'

export type FleetgateOptions = {
  /** The API's address: `https://fleet.example.com`, with or without `/public/v1`. */
  baseUrl: string
  /** The key. Take it from the environment or a secret store, never from source code. */
  apiKey: string
  /** How often a request is sent again if the server is not ready (503). Default: 5. */
  retries?: number
  /**
   * How long a request is sent again while other programs use up the organization's window (429), in
   * milliseconds from the first refusal. Default: 300,000 (five minutes).
   */
  maxWaitMs?: number
  /** The language of the server's messages: `es`, or `pt-BR, pt;q=0.8`. Default: English. */
  language?: string
  /** Called with each answer, including refusals: its request id and the rest of the quota. */
  onAnswer?: (answer: AnswerInfo) => void
  /** Called before a request waits to be sent again. */
  onRetry?: (retry: RetryInfo) => void
  /** How long an answer may take to begin, and then to continue, in milliseconds. Default: 30,000. */
  timeoutMs?: number
  /** Replaces the runtime's `fetch`. */
  fetch?: typeof fetch
}

/**
 * A client for one organization's key. Use one for the whole program: it keeps all its calls within the
 * organization's rate window. Calls reject with a `FleetgateError` if the server refuses, with a
 * `ConnectionError` if no complete answer comes, and with the signal's reason.
 */
export class Fleetgate {
  /** The API's versioned base address: `https://fleet.example.com/public/v1`. */
  readonly url: string
  readonly #connection: Connection

  constructor({
    baseUrl,
    apiKey,
    retries = 5,
    maxWaitMs = 300_000,
    language,
    onAnswer,
    onRetry,
    timeoutMs = 30_000,
    fetch = globalThis.fetch,
  }: FleetgateOptions) {
    refuseBrowsers(globalThis)
    checkKey(apiKey)
    checkLanguage(language)
    this.url = baseOf(baseUrl)
    this.#connection = {
      base: this.url,
      apiKey,
      language,
      fetch,
      window: requestWindow(systemClock),
      clock: systemClock,
      retries,
      maxWaitMs,
      timeoutMs,
      random: Math.random,
      onAnswer,
      onRetry,
    }
  }

  readonly objects = {
    /** All objects of the organization, or those that pass the filters, by id. */
    list: (options?: CallOptions & ObjectFilter): Promise<FleetObject[]> =>
      this.#get(objectsPath(options), options),
    /** One object with its current location. Adds 1 to its daily counter. */
    get: (id: number, options?: AttributeOptions): Promise<ObjectDetail> =>
      this.#get(objectPath(checkedId(id), options), options, { isRepeatable: false }),
  }

  readonly positions = {
    /**
     * The last positions of any number of objects, in their order, or of all objects. Objects that the
     * organization does not have are left out. Charges 1 to each row. If one has nothing left, none of its
     * request (up to 1,000 objects, or all) is charged, unless `skipExhausted` leaves it out. Rejects with
     * `NotFoundError` if the organization has none of them.
     */
    latest: (ids: Iterable<number> | 'all', options?: LatestOptions): Promise<LatestPosition[]> =>
      this.#rowsOf(ids, options, (list) => latestPath(list, options)),
    /**
     * The newest position of each object at or before a moment, with nulls where there is none. Otherwise as
     * `latest`.
     */
    at: (
      time: Date | string,
      ids: Iterable<number> | 'all',
      options?: RowOptions,
    ): Promise<LatestPosition[]> =>
      this.#rowsOf(ids, options, (list) => positionsAtPath(list, time, options)),
    /**
     * The positions of up to 1,000 objects, or of all, from `from` to `to`, both included, by object as given, then by
     * time. Charges 1 to each object of an answer; without `pageSize` all rows are one answer.
     */
    histories: (
      ids: Iterable<number> | 'all',
      range: HistoriesRange,
    ): AsyncGenerator<Position, void, undefined> => {
      const list = ids === 'all' ? 'all' : filled('ids', ids).map(checkedId).join()
      return rowsOfPages(this.#connection, historiesPath(list, range), range.signal)
    },
    /**
     * An object's positions from `from` to `to`, both included, by time. They are read as they come, so
     * any number of them needs the same memory. Charges 1 for each page; without `pageSize` all are one
     * page. With `resume`, a broken answer charges 1 more, and the rest is asked for.
     */
    history: (id: number, range: HistoryRange): AsyncGenerator<Position, void, undefined> =>
      history(this.#connection, checkedId(id), range),
  }

  readonly geofences = {
    list: (options?: CallOptions): Promise<Geofence[]> => this.#get('/geofences', options),
  }

  readonly routes = {
    list: (options?: CallOptions): Promise<Route[]> => this.#get('/routes', options),
    /**
     * How one object kept to a route from `from` to `to`, both included: the part of its distance within the
     * route's deviation, the times outside, and the waypoints. Charges 1 to the object.
     */
    adherence: (
      id: number,
      { object, from, to }: AdherenceRange,
      options?: CallOptions,
    ): Promise<Adherence> => {
      const range = { from_time: timeOf(from), to_time: timeOf(to) }
      const query = new URLSearchParams({ object: String(checkedId(object)), ...range })
      const path = `/routes/${checkedId(id)}/adherence?${query}`
      return this.#get(path, options, { isRepeatable: false })
    },
  }

  readonly sites = {
    list: (options?: CallOptions): Promise<Site[]> => this.#get('/sites', options),
  }

  readonly attributes = {
    list: (options?: CallOptions): Promise<Attribute[]> => this.#get('/attributes', options),
  }

  /**
   * The trips that overlap a range, by object, then by start. Charges 1 to each object of an answer; without
   * `pageSize` all rows are one answer. An open one is under way.
   */
  trips(range: SummedRange): AsyncGenerator<Trip, void, undefined> {
    return records(this.#connection, 'trips', range)
  }

  /** The stops that overlap a range. Otherwise as `trips`. */
  stops(range: StopRange): AsyncGenerator<Stop, void, undefined> {
    return records(this.#connection, 'stops', range)
  }

  /** The visits of places that overlap a range. Otherwise as `trips`. */
  visits(range: VisitRange): AsyncGenerator<Visit, void, undefined> {
    return records(this.#connection, 'visits', range)
  }

  /** The rises and falls of levels, such as fuel, that overlap a range. Otherwise as `trips`. */
  levels(range: LevelRange): AsyncGenerator<Level, void, undefined> {
    return records(this.#connection, 'levels', range)
  }

  /**
   * The totals of each object and local day with positions, by object, then by date. Charges as `trips`.
   */
  days(range: DayRange): AsyncGenerator<Day, void, undefined> {
    return days(this.#connection, range)
  }

  /**
   * Number, gaps, lateness and digests of the positions of each object and UTC day, by object, then by date, to
   * compare a copy with. Charges nothing. The first request for a day is slow, because the server reads its
   * positions.
   */
  coverage(range: CoverageRange): AsyncGenerator<Coverage, void, undefined> {
    return coverage(this.#connection, range)
  }

  /**
   * The changes of the fleet, page by page, each once and in order. Keep the `cursor` of a page together
   * with what you make of it, and give it to the next iteration. The iteration continues after lost
   * connections and restarts of the server. If its cursor has expired, it starts again: `after` of a page is
   * null. A page costs what it would cost to ask for it; a page that is asked for again costs again.
   */
  changes({
    ids,
    types,
    ...options
  }: ChangesOptions = {}): AsyncGenerator<ChangesPage, void, undefined> {
    return changes(this.#connection, {
      ...options,
      ...(types !== undefined && { types: filled('types', types) }),
      ...(ids !== undefined && { ids: filled('ids', ids).map(checkedId) }),
    })
  }

  /**
   * A copy of the fleet that follows its changes, in memory or in your store. It answers as lists, details,
   * latest positions and histories do, without a request. One program at a time may follow with a store.
   */
  replica({ ids, ...options }: ReplicaOptions = {}): Replica {
    const some = ids !== undefined && { ids: filled('ids', ids).map(checkedId) }
    return replica(this.#connection, { ...options, ...some }, Date.now)
  }

  /** The key of this client, and the part of the organization that it opens. Charges nothing. */
  key(options?: CallOptions): Promise<Key> {
    return this.#get('/key', options)
  }

  /**
   * The rest of the rate window and the quota, and the requests with this key in 30 days. Without `ids`, the quota of
   * all objects that were used today. Charges nothing.
   */
  usage({ ids, ...options }: CallOptions & { ids?: readonly number[] } = {}): Promise<Usage> {
    const query = ids === undefined ? '' : `?ids=${filled('ids', ids).map(checkedId).join()}`
    return this.#get(`/usage${query}`, options)
  }

  /** Whether the server answers. Needs no key. */
  ping(options?: CallOptions): Promise<Health> {
    return this.#get('/ping', options, { isPublic: true })
  }

  /** The rows of any number of objects, with a request for each list of them. */
  async #rowsOf(
    ids: Iterable<number> | 'all',
    options: CallOptions | undefined,
    pathOf: (list: string) => string,
  ): Promise<LatestPosition[]> {
    const rows: LatestPosition[] = []
    let missing: NotFoundError | undefined
    // One after the other: if one is refused, the ones after it are not charged.
    for (const list of ids === 'all' ? ['all'] : splitIds([...ids].map(checkedId))) {
      try {
        const more = await this.#get<LatestPosition[]>(pathOf(list), options, {
          isRepeatable: false,
        })
        // A spread of a whole fleet would be too many arguments.
        for (const row of more) rows.push(row)
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
    kind: Partial<Pick<Ask, 'isRepeatable' | 'isPublic'>> = {},
  ): Promise<Result> {
    const request = { path, signal: options?.signal, isRepeatable: true, isPublic: false, ...kind }
    return ask(this.#connection, request, ({ bytes }) => resultIn<Result>(bytes))
  }
}

/** Do not show the key: the error of some runtimes contains the value of a bad header. */
function checkKey(apiKey: string): void {
  if (typeof apiKey === 'string' && /^[\x21-\x7e]+$/.test(apiKey)) return
  throw new TypeError('apiKey is empty or contains invalid characters')
}

function checkLanguage(language: string | undefined): void {
  if (language === undefined || /^[\w*.,;= -]+$/.test(language)) return
  throw new TypeError(
    `language must be one or more tags such as es or pt-BR, not ${JSON.stringify(language)}`,
  )
}

function checkedId(id: number): number {
  if (Number.isSafeInteger(id) && id >= 0) return id
  throw new TypeError(`an id must be a whole number, not ${String(id)}`)
}

/** The server takes an empty list as an absent one: everything. */
function filled<Item>(name: string, list: Iterable<Item>): Item[] {
  const items = [...list]
  if (items.length > 0) return items
  throw new TypeError(`${name} is empty; omit it for all of them`)
}

function baseOf(baseUrl: string): string {
  if (!/^https?:\/\//i.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw new TypeError(`baseUrl must be a URL such as https://fleet.example.com, not ${baseUrl}`)
  }
  const { origin, pathname } = new URL(baseUrl)
  const path = pathname.replace(/\/+$/, '')
  return origin + (path.endsWith(PREFIX) ? path : path + PREFIX)
}
