import type { AnswerInfo, RetryInfo } from './answer-info.ts'
import { resultIn } from './body.ts'
import { refuseBrowsers } from './browser.ts'
import { systemClock } from './clock.ts'
import { type Ask, ask, type Connection, PREFIX } from './connection.ts'
import { NotFoundError } from './errors.ts'
import { type HistoryRange, history } from './history.ts'
import { splitIds } from './split-ids.ts'
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
  /** How often a request that the server was not ready for (503) is sent again. 5 by default. */
  retries?: number
  /**
   * How long a request is sent again while other programs use up the organization's window (429), in
   * milliseconds from the first refusal. 300,000 by default: five minutes.
   */
  maxWaitMs?: number
  /** In which the server's messages are to be: `es`, or `pt-BR, pt;q=0.8`. English by default. */
  language?: string
  /** Called with each answer, refusals included: its request id, and what is left of the quota. */
  onAnswer?: (answer: AnswerInfo) => void
  /** Called before a request waits to be sent again. */
  onRetry?: (retry: RetryInfo) => void
  /** How long an answer may take to begin, and then to go on, milliseconds. 30,000 unless told. */
  timeoutMs?: number
  /** In place of the runtime's own. */
  fetch?: typeof fetch
}

/** What every call takes besides. */
export type CallOptions = { signal?: AbortSignal }

/**
 * A client of one organization's key. Use one for the whole program: it keeps under the organization's
 * rate window for all calls that go through it. Calls reject with a `FleetgateError` where the server
 * refuses, a `ConnectionError` where no whole answer comes, and with the signal's reason.
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
    /** All objects of the organization, by id. */
    list: (options?: CallOptions): Promise<FleetObject[]> => this.#get('/objects', options),
    /** One object and where it is. Adds 1 to its daily counter. */
    get: (id: number, options?: CallOptions): Promise<ObjectDetail> =>
      this.#get(`/objects/${checkedId(id)}`, options, { isRepeatable: false }),
  }

  readonly positions = {
    /**
     * The last position of each of any number of objects, in their order; those that the organization
     * does not have are left out. Charges 1 to each; if one has nothing left, none of those that it
     * is asked with (up to a thousand) are charged. Where the organization has none of them: `NotFoundError`.
     */
    latest: (ids: Iterable<number>, options?: CallOptions): Promise<LatestPosition[]> =>
      this.#latest([...ids].map(checkedId), options),
    /**
     * An object's positions from `from` to `to`, both included, by time. They are read as they come, so
     * that any number of them takes the same memory. Charges 1 for each page; without `pageSize` all are
     * one page. With `resume`, an answer that breaks off charges 1 more, and the rest is asked for.
     */
    history: (id: number, range: HistoryRange): AsyncGenerator<Position, void, undefined> =>
      history(this.#connection, checkedId(id), range),
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
    const rows: LatestPosition[] = []
    let missing: NotFoundError | undefined
    // One after the other: where one is refused, those behind it are not charged.
    for (const list of splitIds(ids)) {
      try {
        rows.push(
          ...(await this.#get<LatestPosition[]>(`/positions/latest?ids=${list}`, options, {
            isRepeatable: false,
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
    kind: Partial<Pick<Ask, 'isRepeatable' | 'isPublic'>> = {},
  ): Promise<Result> {
    const request = { path, signal: options?.signal, isRepeatable: true, isPublic: false, ...kind }
    return ask(this.#connection, request, ({ bytes }) => resultIn<Result>(bytes))
  }
}

/** Without showing it: what a runtime says of a header that it does not take has the value in it. */
function checkKey(apiKey: string): void {
  if (typeof apiKey === 'string' && /^[\x21-\x7e]+$/.test(apiKey)) return
  throw new TypeError('apiKey is empty, or has characters that no key has')
}

function checkLanguage(language: string | undefined): void {
  if (language === undefined || /^[\w*.,;= -]+$/.test(language)) return
  throw new TypeError(`language is one or more tags, es or pt-BR, not ${JSON.stringify(language)}`)
}

function checkedId(id: number): number {
  if (Number.isSafeInteger(id) && id >= 0) return id
  throw new TypeError(`an id is a whole number, not ${String(id)}`)
}

function baseOf(baseUrl: string): string {
  const { origin, pathname, protocol } = new URL(baseUrl)
  if (!['http:', 'https:'].includes(protocol)) {
    throw new TypeError(`baseUrl begins with https:// or http://, not ${protocol}`)
  }
  const path = pathname.replace(/\/+$/, '')
  return origin + (path.endsWith(PREFIX) ? path : path + PREFIX)
}
