import { timeOf } from './day.ts'

/** The value of an answer, or an error that names the value. */
export function checkedId(id: unknown): number {
  if (Number.isSafeInteger(id) && (id as number) > 0) return id as number
  throw wrongValue('the id', id, 'a positive whole number')
}

/** Milliseconds. */
export function checkedTime(written: unknown): number {
  const time = timeOf(written)
  if (time !== undefined) return time
  throw wrongValue('the time', written, 'a time of the API')
}

export function checkedNumber(value: unknown): number | null {
  if (value === null || Number.isFinite(value)) return value as number | null
  throw wrongValue('the value', value, 'a number')
}

/** Characters of a wrong value that a message repeats. */
const LONGEST_SHOWN = 40

function wrongValue(what: string, value: unknown, right: string): Error {
  const shown = `${JSON.stringify(value)}`.slice(0, LONGEST_SHOWN)
  return new Error(`the server sent ${what} ${shown}, which is not ${right}: check --url`)
}
