/** A closed range of times of positions, as ISO 8601. One position: both are the same. */
export type PositionRange = { from: string; to: string }

/** The value that asks for a range first. */
export const ANY_RANGE = 'range'

/** The address of the page that deletes positions of a vehicle, with their range chosen. */
export function deletionHref(organization: number, object: number, range: PositionRange): string {
  const asked = new URLSearchParams({ delete: rangeText(range) })
  return `/organizations/${organization}/objects/${object}/settings?${asked}`
}

export function rangeText({ from, to }: PositionRange): string {
  return `${from}/${to}`
}

/** The range that is chosen in an address. Null: none, or none that can be read. */
export function rangeOf(text: string): PositionRange | null {
  const times = text.split('/').map((each) => new Date(each))
  const [from, to] = times
  if (times.length !== 2 || times.some((each) => Number.isNaN(each.getTime()))) return null
  return { from: from!.toISOString(), to: to!.toISOString() }
}
