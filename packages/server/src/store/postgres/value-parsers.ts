import type pg from 'pg'

type Parse = (value: never) => unknown

/** By the type's object id in `pg_type`, which are fixed. */
const BINARY: Record<number, (value: Buffer) => unknown> = {
  16: (value) => value[0] === 1,
  17: (value) => value,
  20: (value) => wholeNumber(value.readBigInt64BE()),
  21: (value) => value.readInt16BE(),
  23: (value) => value.readInt32BE(),
  25: (value) => value.toString('utf8'),
  701: (value) => value.readDoubleBE(),
  1043: (value) => value.toString('utf8'),
  2278: () => null,
  5069: (value) => value.readBigUInt64BE(),
}

/**
 * What comes of the values that the store's statements give. bool, bytea, int8 (as a number), int2,
 * int4, text, float8, varchar and xid8 (as a bigint); any other type has to be cast in the statement.
 */
export const valueParsers: pg.CustomTypesConfig = {
  getTypeParser: ((type: number, format?: string): Parse => {
    const parse = format === 'binary' ? BINARY[type] : (value: string) => value
    if (parse === undefined) throw new TypeError(`no parser for values of PostgreSQL type ${type}`)
    return parse as Parse
  }) as pg.CustomTypesConfig['getTypeParser'],
}

function wholeNumber(value: bigint): number {
  const number = Number(value)
  if (!Number.isSafeInteger(number)) throw new TypeError(`${value} is too large for a number`)
  return number
}
