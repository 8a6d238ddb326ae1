import { timeOf } from './day.ts'

/** Returns an id of an answer. Throws an error that names an invalid value. */
export function checkedId(id: unknown): number {
  if (Number.isSafeInteger(id) && (id as number) > 0) return id as number
  throw wrongValue('the id', id, 'a positive whole number')
}

/** Returns a time of an answer in milliseconds since the epoch. */
export function checkedTime(written: unknown): number {
  const time = timeOf(written)
  if (time !== undefined) return time
  throw wrongValue('the time', written, 'a time of the API')
}

export function checkedNumber(value: unknown): number | null {
  if (value === null || Number.isFinite(value)) return value as number | null
  throw wrongValue('the value', value, 'a number')
}

/** Maximum number of characters of a wrong value in a message. */
const MAX_SHOWN_CHARACTERS = 40

function wrongValue(what: string, value: unknown, right: string): Error {
  const shown = `${JSON.stringify(value)}`.slice(0, MAX_SHOWN_CHARACTERS)
  return new Error(`the server sent ${what} ${shown}, which is not ${right}: check --url`)
}
