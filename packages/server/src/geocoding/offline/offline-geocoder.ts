import type { Clock } from '../../domain/clock.ts'
import type { Geocoder } from '../geocoder.ts'
import { describePlace } from './describe-place.ts'
import { loadGeoNames } from './load-geonames.ts'
import type { PlaceIndex } from './place-index.ts'

/** Farther from any place than this, a position is nowhere that a name would help to find. */
const MAXIMUM_KM = 100
/** A thread that could not begin, or had no memory, may do so later. */
const AGAIN_US = 600_000_000

/**
 * The nearest populated place, from a data set that ships with the server. It is loaded with the
 * first question, on another thread; from then on an answer takes some 10 microseconds.
 * `tell` hears why it could not be loaded; then there are no addresses, until it can be, which is tried
 * every ten minutes at the most.
 */
export function openOfflineGeocoder(
  clock: Clock,
  tell: (failure: string) => void,
  load: (signal: AbortSignal) => Promise<PlaceIndex> = loadGeoNames,
): Geocoder {
  const closing = new AbortController()
  let loading: Promise<PlaceIndex | null> | undefined
  let again = Number.NEGATIVE_INFINITY

  async function loadOnce(): Promise<PlaceIndex | null> {
    again = Number.POSITIVE_INFINITY
    try {
      return await load(closing.signal)
    } catch (error) {
      again = clock.monotonic() + AGAIN_US
      if (!closing.signal.aborted) tell(`the places could not be loaded: ${error}`)
      return null
    }
  }

  return {
    async address(latitude, longitude, language) {
      if (closing.signal.aborted) return null
      if (clock.monotonic() >= again) loading = loadOnce()
      const nearest = await loading
      const near = nearest?.(latitude, longitude, MAXIMUM_KM) ?? null
      return near === null ? null : describePlace(near, latitude, longitude, language)
    },
    async close() {
      closing.abort()
      await loading
      loading = undefined
    },
  }
}
