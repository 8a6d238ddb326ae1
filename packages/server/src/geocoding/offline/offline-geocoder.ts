import type { Language } from '../../domain/organization.ts'
import { type AddressAt, nothingKnown } from '../../domain/position/object-state.ts'
import type { Clock } from '../../domain/time/clock.ts'
import type { Geocoder } from '../geocoder.ts'
import { openCellWalk } from './cell-addresses.ts'
import { loadGeoNames } from './load-geonames.ts'
import type { PlaceIndex } from './place-index.ts'

/** A thread that could not start, or ran out of memory, may succeed later. */
const AGAIN_US = 600_000_000

/**
 * The nearest populated place, from a data set that ships with the server. The first look-up loads it on
 * another thread. Afterwards a look-up takes some microseconds. `tell` gets the error if it cannot be
 * loaded; there are no addresses then, and loading is tried again at most every ten minutes.
 */
export function openOfflineGeocoder(
  clock: Clock,
  tell: (failure: string) => void,
  load: (signal: AbortSignal) => Promise<PlaceIndex> = loadGeoNames,
): Geocoder {
  const closing = new AbortController()
  let loading: Promise<PlaceIndex | null> | undefined
  let again = Number.NEGATIVE_INFINITY
  const walks = new Map<Language, AddressAt>()

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

  async function known(language: Language): Promise<AddressAt> {
    if (closing.signal.aborted) return nothingKnown
    if (clock.monotonic() >= again) loading = loadOnce()
    const index = await loading
    if (!index) return nothingKnown
    const addressAt = walks.get(language) ?? openCellWalk(index, language)
    walks.set(language, addressAt)
    return addressAt
  }

  return {
    known,
    async address(latitude, longitude, language) {
      const addressAt = await known(language)
      return addressAt(latitude, longitude)
    },
    async close() {
      closing.abort()
      await loading
      loading = undefined
    },
  }
}
