import type pg from 'pg'

/** Object ids in `pg_type`, which are fixed. */
const PARSERS: Record<number, (text: string) => unknown> = {
  16: (text) => text === 't',
  17: (text) => Buffer.from(text.slice('\\x'.length), 'hex'),
  20: wholeNumber,
  21: Number,
  23: Number,
  701: Number,
  5069: BigInt,
}

/**
 * Converts values of the store's statements: int8 to a number, like int2, int4 and float8; bool; bytea to
 * a buffer; xid8 to a bigint; others stay text. All values come as text, because the driver decodes
 * binary values as UTF-8 (8.23).
 */
export const valueParsers = {
  getTypeParser: (type: number) => PARSERS[type] ?? String,
} as pg.CustomTypesConfig

function wholeNumber(text: string): number {
  const number = Number(text)
  if (!Number.isSafeInteger(number)) throw new TypeError(`${text} is too large for a number`)
  return number
}
