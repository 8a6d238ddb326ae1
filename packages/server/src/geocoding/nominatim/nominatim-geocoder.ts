import { boundedText, fetchFailure } from '../../domain/common/fetching.ts'
import type { Language } from '../../domain/organization.ts'
import type { Clock } from '../../domain/time/clock.ts'
import type { Geocoder } from '../geocoder.ts'
import { cellOf, openAddressCache } from './address-cache.ts'
import { openPace, readRetryAfter, type Wait } from './pace.ts'
import { type NominatimAnswer, readAnswer } from './read-answer.ts'

export type NominatimSettings = {
  /** The URL of `/reverse`, or its base. Its parameters, such as a key, go with every request. */
  url: URL
  /** Names the application and a contact, as the usage policy asks. */
  userAgent: string
  requestsPerSecond: number
  clock: Clock
  wait: Wait
  /** Gets the first failure after a success, without the URL's parameters. */
  tell(failure: string): void
}

/**
 * The shared public server: at most 1 request per second, in a single thread
 * (https://operations.osmfoundation.org/policies/nominatim/).
 */
const SHARED_HOST = 'nominatim.openstreetmap.org'
const SHARED_REQUESTS_PER_SECOND = 1

const TIMEOUT_MS = 10_000
const LONGEST_BODY_BYTES = 1 << 16

/**
 * Asks a server with the Nominatim API (https://nominatim.org/release-docs/latest/api/Reverse/), one
 * request at a time. Answers are cached. After a failure the result is null, and the server is asked
 * again later. `places` answers for positions without an answer from the server, and is closed with this
 * geocoder.
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
    // The caller before may have asked for the same cell.
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
    if (!failing) settings.tell(`${settings.url.origin} gives no addresses: ${reason}`)
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
    const body = await boundedText(response.body, LONGEST_BODY_BYTES)
    const isAnswer = response.status === 200 || response.status === 404
    return {
      answer: isAnswer ? readAnswer(response.status, body) : undefined,
      failure: isAnswer ? 'its answer is not one of Nominatim' : `status ${response.status}`,
      retryAfter: response.headers.get('retry-after'),
    }
  } finally {
    ending.abort()
  }
}
