import { boundedText, fetchFailure } from '../../domain/common/fetching.ts'
import type { Language } from '../../domain/organization.ts'
import { FIX_LIMITS } from '../../domain/position/fix.ts'
import type { Clock } from '../../domain/time/time.ts'
import type { Geocoder } from '../geocoder.ts'
import { openPace, readRetryAfter, type Wait } from './request-pace.ts'

export type NominatimSettings = {
  /** The URL of `/reverse`, or its base. Its parameters, such as a key, are sent with every request. */
  url: URL
  /** Names the application and a contact, as the usage policy asks. */
  userAgent: string
  requestsPerSecond: number
  clock: Clock
  wait: Wait
  /** Called with the first failure after a success, without the URL's parameters. */
  report(failure: string): void
}

/**
 * The shared public server: at most 1 request per second, in a single thread
 * (https://operations.osmfoundation.org/policies/nominatim/).
 */
const SHARED_HOST = 'nominatim.openstreetmap.org'

const SHARED_REQUESTS_PER_SECOND = 1

const TIMEOUT_MS = 10_000

const MAX_BODY_BYTES = 1 << 16

/**
 * Asks a server with the Nominatim API (https://nominatim.org/release-docs/latest/api/Reverse/), one
 * request at a time. Answers are cached. After a failure the result is null, and the server is asked
 * again later. `places` is the fallback for positions without an answer from the server, and is closed
 * with this geocoder.
 */
export function openNominatimGeocoder(
  settings: NominatimSettings,
  places: Pick<Geocoder, 'known' | 'close'>,
): Geocoder {
  const closing = new AbortController()
  const cache = openAddressCache()
  const pace = openPace(1000 / rateOf(settings), settings.clock, settings.wait)
  let failing = false
  let last: Promise<unknown> = Promise.resolve()

  async function ask(latitude: number, longitude: number, language: Language) {
    const cell = cellOf(latitude, longitude, language)
    // The previous caller may have asked for the same cell.
    const known = cache.get(cell)
    if (known !== undefined) return known
    const answer = await attempt(requestUrl(settings.url, latitude, longitude, language))
    if (answer === undefined) return null
    cache.set(cell, answer.address)
    return answer.address
  }

  async function attempt(url: URL): Promise<NominatimAnswer> {
    try {
      await pace.turn(closing.signal)
      const { answer, failure, retryAfter } = await request(url, settings, closing.signal)
      if (answer === undefined) failed(failure, retryAfter)
      else succeeded()
      return answer
    } catch (error) {
      if (!closing.signal.aborted) failed(fetchFailure(error), null)
      return undefined
    }
  }

  function succeeded(): void {
    failing = false
    pace.succeeded()
  }

  function failed(reason: string, retryAfter: string | null): void {
    pace.failed(readRetryAfter(retryAfter, settings.clock.now()))
    if (!failing) settings.report(`${settings.url.origin} returned no addresses: ${reason}`)
    failing = true
  }

  return {
    address(latitude, longitude, language) {
      const known = cache.get(cellOf(latitude, longitude, language))
      if (known !== undefined) return Promise.resolve(known)
      const asked = last.then(() => ask(latitude, longitude, language))
      last = asked
      return asked
    },
    async known(language) {
      const nearestPlace = await places.known(language)
      return (latitude, longitude) =>
        cache.get(cellOf(latitude, longitude, language)) ?? nearestPlace(latitude, longitude)
    },
    async close() {
      closing.abort()
      await places.close()
      await last
    },
  }
}

function rateOf({ url, requestsPerSecond }: NominatimSettings): number {
  if (url.hostname !== SHARED_HOST) return requestsPerSecond
  return Math.min(requestsPerSecond, SHARED_REQUESTS_PER_SECOND)
}

function requestUrl(base: URL, latitude: number, longitude: number, language: Language): URL {
  const url = new URL(base)
  url.pathname = url.pathname.replace(/(?:\/reverse)?\/?$/, '/reverse')
  url.searchParams.set('format', 'jsonv2')
  url.searchParams.set('lat', latitude.toFixed(6))
  url.searchParams.set('lon', longitude.toFixed(6))
  url.searchParams.set('zoom', '18')
  url.searchParams.set('accept-language', language)
  return url
}

async function request(url: URL, { userAgent, wait }: NominatimSettings, closing: AbortSignal) {
  const ending = new AbortController()
  const signal = AbortSignal.any([closing, ending.signal])
  wait(TIMEOUT_MS, signal).then(
    () => ending.abort(new Error(`no answer within ${TIMEOUT_MS / 1000} seconds`)),
    () => {},
  )
  try {
    // Do not follow redirects: only the configured server is asked.
    const redirect = 'manual'
    const response = await fetch(url, { headers: { 'user-agent': userAgent }, redirect, signal })
    const body = await boundedText(response.body, MAX_BODY_BYTES)
    const isAnswer = response.status === 200 || response.status === 404
    return {
      answer: isAnswer ? readAnswer(response.status, body) : undefined,
      failure: isAnswer ? 'its response is not from Nominatim' : `status ${response.status}`,
      retryAfter: response.headers.get('retry-after'),
    }
  } finally {
    ending.abort()
  }
}

/** A server's answer for a place: an address, nothing there, or nothing usable. */
type NominatimAnswer = { address: string | null } | undefined

/**
 * Nominatim's labels of the parts of an address, the most specific first
 * (https://nominatim.org/release-docs/latest/api/Output/#addressdetails).
 */
const STREET = [
  'road',
  'pedestrian',
  'footway',
  'path',
  'neighbourhood',
  'quarter',
  'hamlet',
  'isolated_dwelling',
  'suburb',
]

const SETTLEMENT = ['city', 'town', 'village', 'municipality', 'hamlet', 'county', 'state']

/**
 * Reads the body of `/reverse?format=jsonv2` with status 200 or 404. For an empty place Nominatim answers
 * 200, and compatible servers 404.
 */
export function readAnswer(status: number, body: string): NominatimAnswer {
  const answer = parse(body)
  if (answer === undefined) return undefined
  if (answer.error === 'Unable to geocode') return { address: null }
  if (status !== 200 || typeof answer.display_name !== 'string') return undefined
  const address = isRecord(answer.address) ? shorten(answer.address) : ''
  return fitting(address === '' ? answer.display_name : address)
}

/** House number, street, settlement, country: in Nominatim's own order. */
function shorten(parts: Record<string, unknown>): string {
  const first = (labels: string[]) =>
    labels.map((label) => parts[label]).find((part) => typeof part === 'string' && part !== '')
  const street = first(STREET)
  const chosen = [
    street === parts.road ? parts.house_number : undefined,
    street,
    first(SETTLEMENT),
    parts.country,
  ]
  return [...new Set(chosen)].filter((part) => typeof part === 'string' && part !== '').join(', ')
}

function fitting(text: string): NominatimAnswer {
  const address = text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim()
  if (address === '' || Buffer.byteLength(address) > FIX_LIMITS.addressBytes) return undefined
  return { address }
}

function parse(body: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Positions in one cell share an address. A cell is about 50 m wide, less than a block. */
const CELL_DEGREES = 50 / 111_195

/** This many addresses and keys take about 5 MB. */
const CAPACITY = 20_000

/** The answers by cell, including null. The least recently used one is dropped first. */
type AddressCache = {
  /** Undefined if nothing is known. */
  get(cell: string): string | null | undefined
  set(cell: string, address: string | null): void
}

export function openAddressCache(capacity = CAPACITY): AddressCache {
  /** The least recently used first. */
  const addresses = new Map<string, string | null>()

  function set(cell: string, address: string | null): void {
    addresses.delete(cell)
    addresses.set(cell, address)
    if (addresses.size > capacity) addresses.delete(addresses.keys().next().value!)
  }

  return {
    get(cell) {
      const address = addresses.get(cell)
      if (address !== undefined) set(cell, address)
      return address
    },
    set,
  }
}

/** The name of a position's cell. Cells are as wide as they are high everywhere. */
export function cellOf(latitude: number, longitude: number, language: Language): string {
  const row = Math.round(latitude / CELL_DEGREES)
  const widening = Math.max(Math.cos((row * CELL_DEGREES * Math.PI) / 180), 0.001)
  const column = Math.round((longitude * widening) / CELL_DEGREES)
  return `${row} ${column} ${language}`
}
