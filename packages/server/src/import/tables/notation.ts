/** The marks between cells, by the names that options take. */
export const DELIMITERS = { ',': ',', ';': ';', tab: '\t', '|': '|' } as const
export type Delimiter = keyof typeof DELIMITERS

export const DECIMAL_MARKS = ['.', ','] as const
export type DecimalMark = (typeof DECIMAL_MARKS)[number]

/** The orders of day, month and year. */
export const DATE_ORDERS = ['DMY', 'MDY', 'YMD'] as const
export type DateOrder = (typeof DATE_ORDERS)[number]

/** How a table of text is written. */
export type Notation = {
  /** As `TextDecoder` names it. */
  encoding: string
  delimiter: Delimiter
  decimal: DecimalMark
  dates: DateOrder
}
export type NotationPart = keyof Notation
export const NOTATION_PARTS = ['encoding', 'delimiter', 'decimal', 'dates'] as const

/** The parts of a notation that somebody decided. Null: the file decides. */
export type GivenNotation = { readonly [Part in NotationPart]: Notation[Part] | null }

export const NOTHING_GIVEN: GivenNotation = {
  encoding: null,
  delimiter: null,
  decimal: null,
  dates: null,
}

/**
 * Where a part comes from: from the caller, from a saved mapping, or from the file. `usual`: nothing in the beginning of
 * the file depends on it. `open`: the file allows several readings, so the caller has to choose.
 */
export const ORIGINS = ['given', 'saved', 'file', 'usual', 'open'] as const
export type Origin = (typeof ORIGINS)[number]

/** A value that a part may have, and how a text of the file reads with it. */
export type Reading = { value: string; reads: string }

export type Part<Value extends string = string> = {
  /** Null only if it is open. */
  value: Value | null
  from: Origin
  /** A text of the file that decides, or on which it depends. */
  example: string | null
  /** The readings of the example, if it is open. */
  choices: Reading[]
}

/** How a table is written, part by part. */
export type NotationFound = { readonly [P in NotationPart]: Part<Notation[P]> }

export function given<Value extends string>(value: Value): Part<Value> {
  return { value, from: 'given', example: null, choices: [] }
}

/** The value that everybody would expect, where nothing depends on it. */
export function usual<Value extends string>(value: Value): Part<Value> {
  return { value, from: 'usual', example: null, choices: [] }
}

export function inFile<Value extends string>(value: Value, example: string | null): Part<Value> {
  return { value, from: 'file', example, choices: [] }
}

export function open(example: string, choices: Reading[]): Part<never> {
  return { value: null, from: 'open', example, choices }
}

/** A saved value, unless the file shows another one. */
export function orSaved<Value extends string>(
  found: Part<Value>,
  saved: Value | null,
): Part<Value> {
  if ((found.from !== 'open' && found.from !== 'usual') || saved === null) return found
  const isPossible = found.from === 'usual' || found.choices.some(({ value }) => value === saved)
  return isPossible ? { ...found, value: saved, from: 'saved', choices: [] } : found
}
