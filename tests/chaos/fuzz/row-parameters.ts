import type { Parameter } from './description.ts'
import { idsIn, isDigits, momentOf } from './values.ts'

export type Values = ReadonlyMap<string, readonly string[]>

/** Whether a request breaks what the description says of a parameter of a query. */
export function isWrong(parameter: Parameter, query: Values): boolean {
  const { name, required, schema } = parameter
  // The format is judged before, with an error of its own.
  if (parameter.in !== 'query' || name === 'format') return false
  const isList = schema.type === 'array' && name !== 'bbox'
  if (isList) return isWrongList(parameter, query)
  if ((query.get(name)?.length ?? 0) > 1) return true
  const text = textOf(query, name)
  if (name === 'bbox' && query.has(name)) return isWrongBox(text)
  if (name === 'time_zone' && text !== '' && textOf(query, 'tz') !== '') return true
  return text === '' ? required === true : isWrongText(parameter, text)
}

export function textOf(query: Values, name: string): string {
  return query.get(name)?.[0] ?? ''
}

/** The list of a parameter in both of its forms, joined. */
export function listOf(query: Values, name: string): string {
  return [...(query.get(name) ?? []), ...(query.get(`${name}[]`) ?? [])].join(',')
}

function isWrongList({ name, required, schema }: Parameter, query: Values): boolean {
  if (!query.has(name) && !query.has(`${name}[]`)) return required === true
  const text = listOf(query, name)
  const values = text.split(',')
  if (text === '' || values.length > schema.maxItems!) return true
  const words = schema.items?.enum
  if (words !== undefined) return !values.every((word) => words.includes(word.trim()))
  const isAll = text === 'all' && schema.items?.oneOf !== undefined
  return !isAll && idsIn(text) === 'invalid'
}

function isWrongText({ name, schema }: Parameter, text: string): boolean {
  switch (name) {
    case 'time':
    case 'from_time':
    case 'to_time':
      return momentOf(text, 'first') === undefined
    case 'from_date':
    case 'to_date':
      return text.includes('T') || momentOf(text, 'first') === undefined
    case 'tz':
    case 'time_zone':
      return !isZone(text)
    case 'skip_exhausted':
      return !['true', 'false'].includes(text)
    default:
      return schema.type === 'integer' && isWrongNumber(schema, text)
  }
}

/** A number without a maximum may have any length. */
function isWrongNumber({ minimum = 0, maximum = Infinity }: Parameter['schema'], text: string) {
  return !isDigits(text) || Number(text) < minimum || Number(text) > maximum
}

function isWrongBox(text: string): boolean {
  const sides = text.split(',')
  if (sides.length !== 4) return true
  if (!sides.every((side) => /^ *[-+]?([0-9]+\.?[0-9]*|\.[0-9]+) *$/.test(side))) return true
  const [west, south, east, north] = sides.map(Number) as [number, number, number, number]
  const isLongitude = (degrees: number) => degrees >= -180 && degrees <= 180
  return !(isLongitude(west) && isLongitude(east) && -90 <= south && south <= north && north <= 90)
}

/** Whether ICU knows a name. It also knows offsets, which are no names. */
function isZone(name: string): boolean {
  if (!/^[a-z]/i.test(name)) return false
  try {
    return new Date().toLocaleString('en', { timeZone: name }) !== ''
  } catch {
    return false
  }
}
