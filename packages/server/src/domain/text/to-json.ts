import { plainJson } from './plain-json.ts'

const SEPARATORS = /[\u2028\u2029]/

/**
 * The JSON of a value as answers write it: numbers without exponents, and U+2028 and U+2029 escaped. Many clients split
 * NDJSON and events into lines at these too (`str.splitlines` of Python), and would cut a text in two.
 */
export function toJson(value: unknown): string {
  const json = plainJson(value)
  if (!SEPARATORS.test(json)) return json
  return json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
}
