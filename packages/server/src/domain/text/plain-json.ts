/** Numbers below this have an exponent in JavaScript. Those from 1e21 on have one too, but answers have no such numbers. */
const MIN_WITHOUT_EXPONENT = 1e-6
const EXPONENT = /\de-\d/

declare global {
  interface JSON {
    /** A value that `JSON.stringify` writes as this text. TypeScript's own types lack it. */
    rawJSON(text: string): object
  }
}

/** A number without an exponent, which some readers of JSON and most readers of CSV do not take. */
export function plainNumber(value: number): string {
  const text = String(value)
  const [mantissa, zeros] = text.split('e-')
  if (zeros === undefined) return text
  const digits = mantissa!.replace('-', '').replace('.', '')
  return `${value < 0 ? '-' : ''}0.${'0'.repeat(Number(zeros) - 1)}${digits}`
}

/** The JSON of a value, with its numbers without exponents. */
export function plainJson(value: unknown): string {
  const json = JSON.stringify(value)
  return json?.includes('e-') && EXPONENT.test(json) ? JSON.stringify(value, withoutExponent) : json
}

function withoutExponent(_name: string, value: unknown): unknown {
  const isSmall = typeof value === 'number' && Math.abs(value) < MIN_WITHOUT_EXPONENT && value !== 0
  return isSmall ? JSON.rawJSON(plainNumber(value)) : value
}
