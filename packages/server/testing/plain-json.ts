/** A text, or a number with an exponent below 0. */
const TEXT_OR_SMALL = /"(?:[^"\\]|\\.)*"|\d[\d.]*e-\d+/g

/**
 * JSON of a plain value, in which no character ends a line for clients that split by Unicode, and no number has an
 * exponent. Numbers have some 17 digits.
 */
export function plainJson(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029')
    .replace(TEXT_OR_SMALL, (part) => (part.startsWith('"') ? part : decimal(part)))
}

function decimal(small: string): string {
  const [digits, places] = small.split('e-') as [string, string]
  const [whole, fraction = ''] = digits.split('.')
  return `0.${(whole + fraction).padStart(Number(places) + fraction.length, '0')}`
}
