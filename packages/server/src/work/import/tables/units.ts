/** Ways to write a unit, in small letters and without spaces and points, and the unit as options name it. */
export type Units = Readonly<Record<string, string>>

/** The ways to write a length in a time: `km/h`, `kmh`, `kph`, `km per hour`, `m s-1`. */
function speedWords(lengths: string, times: string, unit: string): [word: string, unit: string][] {
  const marks = ['/', '', 'p', 'per']
  return lengths
    .split(' ')
    .flatMap((length) =>
      marks.flatMap((mark) => times.split(' ').map((time) => `${length}${mark}${time}`)),
    )
    .map((word) => [word, unit])
}

const HOURS = 'h hr hrs hour hours h-1 std stunde uur u ora godz'
const SECONDS = 's sec second seconds s-1'
const KNOTS = 'kn kt kts knot knots knoten noeuds nœuds nudos nodi nós knopen węzły'

export const SPEED_WORDS: Units = Object.fromEntries([
  ...speedWords('km kms kilometer kilometers kilometre kilometres', HOURS, 'kmh'),
  ...speedWords('mi mile miles', HOURS, 'mph'),
  ...speedWords('m meter meters metre metres', SECONDS, 'mps'),
  ...speedWords('nm nmi nauticalmile nauticalmiles', HOURS, 'knots'),
  ...KNOTS.split(' ').map((word) => [word, 'knots']),
  ...[
    ['kph', 'kmh'],
    ['км/ч', 'kmh'],
    ['mph', 'mph'],
    ['mps', 'mps'],
  ],
])

export const LENGTH_WORDS: Units = {
  ...{ km: 'km', kilometer: 'km', kilometers: 'km', kilometre: 'km', kilometres: 'km' },
  ...{ mi: 'mi', mile: 'mi', miles: 'mi' },
  ...{ m: 'm', meter: 'm', meters: 'm', metre: 'm', metres: 'm' },
}

export const METRE_WORDS: Units = {
  ...{ m: 'm', metres: 'm', meters: 'm', meter: 'm', mètres: 'm' },
  ...{ ft: 'ft', feet: 'ft', foot: 'ft' },
}

export const DEGREE_WORDS: Units = {
  '°': 'degrees',
  deg: 'degrees',
  degrees: 'degrees',
  wgs84: 'degrees',
}

export const HOUR_WORDS: Units = {
  ...{ h: 'h', hours: 'h', hrs: 'h', std: 'h', min: 'min', minutes: 'min' },
  ...{ s: 's', sec: 's', seconds: 's', ms: 'ms', milliseconds: 'ms' },
}

export const PERCENT_WORDS: Units = { '%': '%' }

/** Times of other zones are never taken for times of the device. */
export const ZONE_WORDS: Units = { utc: 'UTC', gmt: 'UTC' }

/** The units that a heading may end with, as in `speed_kmh` and `Odometer km`. */
const AT_END: Units = {
  ...HOUR_WORDS,
  ...METRE_WORDS,
  ...LENGTH_WORDS,
  ...SPEED_WORDS,
  ...ZONE_WORDS,
}

/** Meters and hours in one of each other unit of an altitude and of engine hours. */
export const OTHER_UNITS: Readonly<Record<string, number>> = {
  ...{ ft: 0.3048, min: 1 / 60, s: 1 / 3600, ms: 1 / 3_600_000 },
}

const IN_BRACKETS = /^(.*\S)\s*[([]([^()[\]]*)[)\]]\s*$/

const AFTER_COMMA = /^(.*\S)\s*,\s*(\S+)\s*$/

/** Characters. A longer heading names no field, and would take the search for a unit long. */
export const LONGEST_HEADING = 200

/**
 * The name and the unit in a heading such as `Speed (km/h)`, `Speed, km/h`, `speed_kmh` or `mph`. Null: it names none.
 */
export function splitUnit(heading: string): { name: string; unit: string | null } {
  if (heading.length > LONGEST_HEADING) return { name: heading, unit: null }
  const match = IN_BRACKETS.exec(heading) ?? AFTER_COMMA.exec(heading)
  if (match !== null) return { name: match[1]!, unit: match[2]!.trim().toLowerCase() }
  return unitAtEnd(heading) ?? { name: heading, unit: null }
}

/** A unit has at most so many words, as `km per hour`. */
const UNIT_WORDS = 3

function unitAtEnd(heading: string): { name: string; unit: string } | null {
  const words = heading
    .trim()
    .replaceAll(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .split(/[\s_-]+/)
  for (let count = Math.min(UNIT_WORDS, words.length); count > 0; count -= 1) {
    const unit = words.slice(-count).join('').toLowerCase()
    if (unitNamed(unit, AT_END) === undefined) continue
    const name = words.slice(0, -count).join(' ').replace(/ in$/i, '')
    if (name !== '') return { name, unit }
    // A column whose heading is a unit of speed alone. `ms` and `kn` may be something else.
    return unit.length > 2 && Object.hasOwn(SPEED_WORDS, unit) ? { name: 'speed', unit } : null
  }
  return null
}

const AFTER_NUMBER = /^(.*\d)\s*([^\d\s.,'’+-][^\d]*)$/

/** A cell such as `15.8 km/h` without a unit of these, and the unit. Null: it has none. */
export function splitCell(cell: string, units: Units): { number: string; unit: string } | null {
  const match = AFTER_NUMBER.exec(cell.trim())
  const unit = match === null ? undefined : unitNamed(match[2]!, units)
  return match === null || unit === undefined ? null : { number: match[1]!, unit }
}

/** The unit that a word names. A word such as `constructor`, which every object has, names none. */
export function unitNamed(word: string, units: Units): string | undefined {
  const plain = word
    .toLowerCase()
    .replaceAll(/[\s.·⋅_]/g, '')
    .replace('⁻¹', '-1')
  return Object.hasOwn(units, plain) ? units[plain] : undefined
}

/** The unit that all filled cells of a column have. Null: they have none, or several. */
export function unitOfCells(cells: readonly string[], units: Units): string | null {
  const filled = cells.filter((cell) => cell.trim() !== '')
  const found = new Set(filled.map((cell) => splitCell(cell, units)?.unit ?? null))
  const [unit = null] = found
  return found.size === 1 ? unit : null
}
