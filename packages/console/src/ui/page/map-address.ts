import { type Day, isDay } from '../time/days.ts'

/** The object that the address of a map selects, and the day of its track, if it names valid ones. */
export function trackedIn(address: URLSearchParams): {
  object: number | undefined
  day: Day | undefined
} {
  const object = idOf(address.get('object'))
  const day = address.get('day')
  return { object, day: object !== undefined && day !== null && isDay(day) ? day : undefined }
}

/** The address of a vehicle on the map, or of its track on a day, with a record chosen. */
export function mapHref(
  organization: number,
  object: number,
  on: { day?: Day; record?: string } = {},
): string {
  return `/organizations/${organization}/map?${new URLSearchParams({ object: `${object}`, ...on })}`
}

function idOf(text: string | null): number | undefined {
  return text !== null && /^[1-9]\d{0,15}$/.test(text) ? Number(text) : undefined
}
