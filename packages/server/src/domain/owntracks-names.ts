import { numbersIn } from './position/field-lists.ts'

/**
 * The names of an OwnTracks message that are no attributes: the fields of a position, what identifies the phone and the
 * message, and lists. https://owntracks.org/booklet/tech/json/
 */
export const OWNTRACKS_NAMES: ReadonlySet<string> = new Set([
  ...['_type', '_id', 'topic', 'tid', 'tst', 'created_at', 'lat', 'lon', 'ign'],
  ...['inregions', 'inrids', 'motionactivities'],
  ...numbersIn('owntracks').map(({ name }) => name),
])
