import type { StreamPlace, StreamPlaces } from '../../live/realtime.ts'

/** The whole answers that an organization may have under way at once, over all processes. */
export const MAX_WHOLE_ANSWERS = 2

/** The whole answers of a holder of streams are counted under this number and its own. No other holder has such a number. */
export const WHOLE_ANSWERS = 2 ** 52

/** Takes a place for a whole answer. Null if none is free. */
export function takeWholePlace(
  places: StreamPlaces,
  organization: number,
): Promise<StreamPlace | null> {
  return places.take(WHOLE_ANSWERS + organization, MAX_WHOLE_ANSWERS)
}
