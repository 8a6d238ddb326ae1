/** Ways to write a unit, and the unit as options name it. */
export type Units = Readonly<Record<string, string>>

export const SPEED_WORDS: Units = {
  ...{ 'km/h': 'kmh', kmh: 'kmh', kph: 'kmh', mph: 'mph', 'm/s': 'mps', mps: 'mps' },
  'meters/second': 'mps',
  ...{ kn: 'knots', kt: 'knots', kts: 'knots', knots: 'knots' },
}
export const LENGTH_WORDS: Units = {
  km: 'km',
  mi: 'mi',
  miles: 'mi',
  m: 'm',
  metres: 'm',
  meters: 'm',
}
export const METRE_WORDS: Units = { m: 'm', metres: 'm', meters: 'm', meter: 'm', mètres: 'm' }
export const DEGREE_WORDS: Units = {
  '°': 'degrees',
  deg: 'degrees',
  degrees: 'degrees',
  wgs84: 'degrees',
}
export const HOUR_WORDS: Units = { h: 'h', hours: 'h', hrs: 'h', std: 'h' }
export const PERCENT_WORDS: Units = { '%': '%' }
/** Times of other zones are never taken for times of the device. */
export const ZONE_WORDS: Units = { utc: 'UTC', gmt: 'UTC' }

const IN_BRACKETS = /^(.*\S)\s*[([]([^()[\]]*)[)\]]\s*$/
const AFTER_COMMA = /^(.*\S)\s*,\s*(\S+)\s*$/

/** Characters. A longer heading names no field, and would take the search for a unit long. */
export const LONGEST_HEADING = 200

/** The name and the unit in a heading such as `Speed (km/h)` or `Speed, km/h`. Null: it names none. */
export function splitUnit(heading: string): { name: string; unit: string | null } {
  if (heading.length > LONGEST_HEADING) return { name: heading, unit: null }
  const match = IN_BRACKETS.exec(heading) ?? AFTER_COMMA.exec(heading)
  if (match === null) return { name: heading, unit: null }
  return { name: match[1]!, unit: match[2]!.trim().toLowerCase() }
}

const AFTER_NUMBER = /^(.*\d)\s*([^\d\s.,'’+-][^\d]*)$/

/** A cell such as `15.8 km/h` without a unit of these, and the unit. Null: it has none. */
export function splitCell(cell: string, units: Units): { number: string; unit: string } | null {
  const match = AFTER_NUMBER.exec(cell.trim())
  const unit = match === null ? undefined : unitNamed(match[2]!.trim().toLowerCase(), units)
  return match === null || unit === undefined ? null : { number: match[1]!, unit }
}

/** The unit that a word names. A word such as `constructor`, which every object has, names none. */
export function unitNamed(word: string, units: Units): string | undefined {
  return Object.hasOwn(units, word) ? units[word] : undefined
}

/** The unit that all filled cells of a column have. Null: they have none, or several. */
export function unitOfCells(cells: readonly string[], units: Units): string | null {
  const filled = cells.filter((cell) => cell.trim() !== '')
  const found = new Set(filled.map((cell) => splitCell(cell, units)?.unit ?? null))
  const [unit = null] = found
  return found.size === 1 ? unit : null
}

/** Headings that only one program writes together, and the unit of its speeds. */
const KNOWN_SPEEDS: readonly [headings: readonly string[], unit: string][] = [
  /** GPSLogger for Android. */
  [['elevation', 'bearing', 'speed', 'provider', 'geoidheight'], 'mps'],
  /** The table of positions of a Traccar server. */
  [['protocol', 'devicetime', 'fixtime', 'speed', 'course'], 'knots'],
]

/** The unit of the speeds of a program that names none in its headings. */
export function knownSpeedUnit(headings: readonly string[]): string | undefined {
  const names = new Set(headings.map((each) => each.trim().toLowerCase()))
  return KNOWN_SPEEDS.find(([own]) => own.every((name) => names.has(name)))?.[1]
}
