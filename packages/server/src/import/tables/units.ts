/** Ways to write a unit, and the unit as options name it. */
export type Units = Readonly<Record<string, string>>

export const SPEED_WORDS: Units = {
  ...{ 'km/h': 'kmh', kmh: 'kmh', kph: 'kmh', mph: 'mph', 'm/s': 'mps', mps: 'mps' },
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

/** The name and the unit in a heading such as `Speed (km/h)` or `Speed, km/h`. Null: it names none. */
export function splitUnit(heading: string): { name: string; unit: string | null } {
  const match = IN_BRACKETS.exec(heading) ?? AFTER_COMMA.exec(heading)
  if (match === null) return { name: heading, unit: null }
  return { name: match[1]!, unit: match[2]!.trim().toLowerCase() }
}
