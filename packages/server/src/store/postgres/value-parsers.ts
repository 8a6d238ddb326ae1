import type pg from 'pg'

/** By the type's object id in `pg_type`, which are fixed. */
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
 * What comes of the values that the store's statements give: int8 as a number, as int2, int4 and
 * float8; bool; bytea as a buffer; xid8 as a bigint; any other as text. All of them come as text: the
 * driver reads what comes in binary as UTF-8 (8.23), which bytes are not.
 */
export const valueParsers = {
  getTypeParser: (type: number) => PARSERS[type] ?? String,
} as pg.CustomTypesConfig

function wholeNumber(text: string): number {
  const number = Number(text)
  if (!Number.isSafeInteger(number)) throw new TypeError(`${text} is too large for a number`)
  return number
}
