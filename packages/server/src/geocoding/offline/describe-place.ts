import type { Language } from '../../domain/organization.ts'
import type { GazetteerPlace, NearPlace } from './place-index.ts'

/** A position this near counts as in the place: the data set has only its centre. */
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
  const [from, to, over] = [place.latitude, latitude, longitude - place.longitude].map(
    (degrees) => (degrees * Math.PI) / 180,
  ) as [number, number, number]
  const east = Math.sin(over) * Math.cos(to)
  const north = Math.cos(from) * Math.sin(to) - Math.sin(from) * Math.cos(to) * Math.cos(over)
  return ((Math.atan2(east, north) * 180) / Math.PI + 360) % 360
}
