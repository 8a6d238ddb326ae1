import type { Track } from '../api/types.ts'

/** The changes of the attribute that names the driver. */
function changesOf({ texts }: Track): Track['texts'][number]['changes'] {
  return texts.find(({ name }) => name === 'driver')?.changes ?? []
}

/** The drivers of a day, in the order in which they drove. */
export function driversOf(track: Track): string[] {
  return [...new Set(changesOf(track).map(([, driver]) => driver))]
}

/** The driver at a moment. */
export function driverAt(track: Track | undefined, instant: string | null): string | null {
  if (track === undefined) return null
  const time = instant === null ? Number.POSITIVE_INFINITY : Date.parse(instant)
  return changesOf(track).findLast(([since]) => since <= time)?.[1] ?? null
}
