import { outOfRange, type Refusal } from '../refusal.ts'

const DIGITS = /^[0-9]+$/

/** An integer within bounds, both included. `absent`: its value if it is not given. */
export function integerIn(
  name: string,
  text: string | undefined,
  minimum: number,
  maximum: number,
  absent: number,
): number | Refusal {
  if (text === undefined) return absent
  const number = DIGITS.test(text) ? Number(text) : Number.NaN
  if (number >= minimum && number <= maximum) return number
  return outOfRange(name, text, minimum, maximum)
}
