import { parseJson, writeArray, writeArrays } from '../../domain/json-steps.ts'
import type { LonLat, Waypoint } from '../../domain/place.ts'
import type { Steps } from '../../domain/steps.ts'
import { DECIMALS, rounded } from './numbers.ts'

/** The lists in the rows of places, which may be long, as JSON. `list`: its stored text, or its values. */
export function ringJson(list: LonLat[] | string): Steps<string> {
  return shown(list, (ring) => writeArray(ring, position))
}

export function linesJson(list: LonLat[][] | string): Steps<string> {
  return shown(list, (lines) => writeArrays(lines, position))
}

export function waypointsJson(list: Waypoint[] | string): Steps<string> {
  return shown(list, (points) => writeArray(points, waypoint))
}

/** The JSON of a list as answers show it. `list`: its stored text, or its values. */
function* shown<List>(list: List | string, write: (list: List) => Steps<string>): Steps<string> {
  if (typeof list !== 'string') return yield* write(list as List)
  return (yield* isAsShown(list)) ? list : yield* write((yield* parseJson(list)) as List)
}

/** A number that is rounded, or a waypoint whose members have another order. */
const OTHERWISE = /\.\d{8}|\de|\{(?!"location":\[[^\]]*\],"order":-?\d+\})/

/** Characters that one step looks through. */
const STEP_CHARACTERS = 16 * 1024

/** Whether the stored text of a list has the form of answers: then it is neither parsed nor written. */
function* isAsShown(text: string): Steps<boolean> {
  const opening = text.startsWith('[{') ? '{' : '['
  for (let from = 0; from < text.length; ) {
    const next = text.indexOf(opening, from + STEP_CHARACTERS)
    const to = next === -1 ? text.length : next
    if (OTHERWISE.test(text.slice(from, to))) return false
    from = to
    yield
  }
  return true
}

export function waypoint({ location, order }: Waypoint) {
  return { location: position(location), order }
}

export function position([longitude, latitude]: LonLat): LonLat {
  return [degrees(longitude), degrees(latitude)]
}

const SCALE = 10 ** DECIMALS.coordinate

/** Most values have no more decimals, and to round one takes thirty times as long. */
export function degrees(value: number): number {
  return Math.round(value * SCALE) / SCALE === value ? value : rounded(value, DECIMALS.coordinate)!
}
