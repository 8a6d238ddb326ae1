/** JSON of a plain value, in which no character ends a line for clients that split by Unicode. */
export function plainJson(value: unknown): string {
  return JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
}
