import type { Language } from '../../domain/organization.ts'
import { type AddressAt, nothingKnown } from '../../domain/position/object-state.ts'
import type { Clock } from '../../domain/time/time.ts'
import type { Geocoder } from '../geocoder.ts'
import {
  type GazetteerPlace,
  loadGeoNames,
  type NearPlace,
  type PlaceIndex,
} from './gazetteer-index.ts'

/** A thread that could not start, or ran out of memory, may succeed later. */
const AGAIN_US = 600_000_000

/**
 * The nearest populated place, from a data set that ships with the server. The first look-up loads it on
 * another thread. Afterwards a look-up takes some microseconds. `report` gets the error if it cannot be
 * loaded; there are no addresses then, and loading is tried again at most every ten minutes.
 */
export function openOfflineGeocoder(
  clock: Clock,
  report: (failure: string) => void,
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
      if (!closing.signal.aborted) report(`the places could not be loaded: ${error}`)
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

/**
 * Positions in a cell share the address of its middle. A cell is 200 m wide, and places are kilometers
 * apart.
 */
const CELL_DEGREES = 200 / 111_195

const RADIANS = Math.PI / 180

/** More than the columns of a row. */
const COLUMNS = 2 ** 20

/** Farther from any place, a name would not help to find the position. */
const MAX_KM = 100

/** Cached cells: about 3 MB. */
const MAX_CELLS = 20_000

/** Addresses of positions. Fastest for consecutive positions, most of which are in the same cell. */
export function openCellWalk(index: PlaceIndex, language: Language): AddressAt {
  /** Addresses found so far, by cell. */
  const found = new Map<number, string | null>()
  let row = Number.NaN
  let column = Number.NaN
  /** The factor by which a degree of longitude is shorter in this row. */
  let narrowing = 1
  let address: string | null = null

  function ofCell(): string | null {
    const key = row * COLUMNS + column
    const known = found.get(key)
    if (known !== undefined) return known
    const latitude = row * CELL_DEGREES
    const longitude = (column * CELL_DEGREES) / narrowing
    const near = index(latitude, longitude, MAX_KM)
    const described = near === null ? null : describePlace(near, latitude, longitude, language)
    if (found.size >= MAX_CELLS) found.clear()
    found.set(key, described)
    return described
  }

  return (latitude, longitude) => {
    const itsRow = Math.round(latitude / CELL_DEGREES)
    const isSameRow = itsRow === row
    if (!isSameRow) {
      row = itsRow
      narrowing = Math.max(Math.cos(row * CELL_DEGREES * RADIANS), 0.001)
    }
    const itsColumn = Math.round((longitude * narrowing) / CELL_DEGREES)
    if (isSameRow && itsColumn === column) return address
    column = itsColumn
    address = ofCell()
    return address
  }
}

/** A position this near counts as in the place: the data set has only its center. */
const IN_PLACE_KM = 2

type Wording = {
  /** Clockwise from the north, every 45 degrees. */
  compass: readonly string[]
  away(km: number, direction: string, place: string): string
}

/** Turkish and French would have to inflect the name or the word before it, so the name comes first. */
const WORDINGS: Record<Language, Wording> = {
  en: {
    compass: ['N', 'NE', 'E', 'SE', 'S', 'SW', 'W', 'NW'],
    away: (km, direction, place) => `${km} km ${direction} of ${place}`,
  },
  tr: {
    compass: ['K', 'KD', 'D', 'GD', 'G', 'GB', 'B', 'KB'],
    away: (km, direction, place) => `${place} (${km} km ${direction})`,
  },
  de: {
    compass: ['N', 'NO', 'O', 'SO', 'S', 'SW', 'W', 'NW'],
    away: (km, direction, place) => `${km} km ${direction} von ${place}`,
  },
  es: {
    compass: ['N', 'NE', 'E', 'SE', 'S', 'SO', 'O', 'NO'],
    away: (km, direction, place) => `${km} km al ${direction} de ${place}`,
  },
  fr: {
    compass: ['N', 'NE', 'E', 'SE', 'S', 'SO', 'O', 'NO'],
    away: (km, direction, place) => `${place} (${km} km ${direction})`,
  },
  pt: {
    compass: ['N', 'NE', 'L', 'SE', 'S', 'SO', 'O', 'NO'],
    away: (km, direction, place) => `${km} km a ${direction} de ${place}`,
  },
  ru: {
    compass: ['С', 'СВ', 'В', 'ЮВ', 'Ю', 'ЮЗ', 'З', 'СЗ'],
    away: (km, direction, place) => `${km} км к ${direction} от ${place}`,
  },
  ar: {
    compass: ['شمال', 'شمال شرق', 'شرق', 'جنوب شرق', 'جنوب', 'جنوب غرب', 'غرب', 'شمال غرب'],
    away: (km, direction, place) => `${km} كم ${direction} ${place}`,
  },
}

/** For example `Eixample, Catalonia, Spain`, or `18 km SW of Holbrook, Arizona, United States`. */
export function describePlace(
  near: NearPlace,
  latitude: number,
  longitude: number,
  language: Language,
): string {
  const { name, region, country } = near.place
  const parts = [name, region === name ? null : region, countryName(country, language)]
  const place = parts.filter((part) => part !== null).join(', ')
  if (near.distanceKm < IN_PLACE_KM) return place
  const { compass, away } = WORDINGS[language]
  const eighth = Math.round(bearing(near.place, latitude, longitude) / 45) % 8
  return away(Math.round(near.distanceKm), compass[eighth]!, place)
}

const countryNames = new Map<Language, Intl.DisplayNames>()

function countryName(code: string, language: Language): string {
  let names = countryNames.get(language)
  if (names === undefined) {
    names = new Intl.DisplayNames([language], { type: 'region' })
    countryNames.set(language, names)
  }
  return names.of(code) ?? code
}

/**
 * The direction from the place to the position: degrees clockwise from north, at the start of the great
 * circle (Ed Williams, Aviation Formulary, "Course between points").
 */
function bearing(place: GazetteerPlace, latitude: number, longitude: number): number {
  const from = place.latitude * RADIANS
  const to = latitude * RADIANS
  const over = (longitude - place.longitude) * RADIANS
  const east = Math.sin(over) * Math.cos(to)
  const north = Math.cos(from) * Math.sin(to) - Math.sin(from) * Math.cos(to) * Math.cos(over)
  return ((Math.atan2(east, north) * 180) / Math.PI + 360) % 360
}
