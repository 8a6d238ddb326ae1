/*
 * How a table of text is written: its notation, and the numbers in it.
 */

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

/** `coordinate`: degrees, up to `maximum`. They are never in groups of thousands. */
export type NumberKind = { kind: 'number' } | { kind: 'coordinate'; maximum: number }

const EXPONENT = '(?:e[+-]?\\d{1,3})?'
const SPACES = " \\u00a0\\u2009\\u202f'’"
const FORMS = {
  '.': {
    plain: new RegExp(`^[+-]?(?:\\d+\\.?\\d*|\\.\\d+)${EXPONENT}$`, 'i'),
    grouped: new RegExp(`^[+-]?\\d{1,3}(?:([,${SPACES}])\\d{3})(?:\\1\\d{3})*(?:\\.\\d+)?$`),
    groups: new RegExp(`[,${SPACES}]`, 'g'),
  },
  ',': {
    plain: new RegExp(`^[+-]?(?:\\d+,?\\d*|,\\d+)${EXPONENT}$`, 'i'),
    grouped: new RegExp(`^[+-]?\\d{1,3}(?:([.${SPACES}])\\d{3})(?:\\1\\d{3})*(?:,\\d+)?$`),
    groups: new RegExp(`[.${SPACES}]`, 'g'),
  },
} as const

/** Numbers that every notation reads alike. */
const WHOLE = /^\s*-?\d*\s*$/

/** The number that a cell holds with this decimal mark. NaN: none. The cell is not empty. */
export function numberWith(mark: DecimalMark, cell: string, number: NumberKind): number {
  const text = cell.trim().replace('\u2212', '-')
  const { plain, grouped, groups } = FORMS[mark]
  if (plain.test(text)) return inLimits(Number(text.replace(',', '.')), number)
  if (number.kind === 'coordinate') return inLimits(degreesIn(text, mark), number)
  return grouped.test(text) ? Number(text.replace(groups, '').replace(',', '.')) : Number.NaN
}

function inLimits(value: number, number: NumberKind): number {
  return number.kind === 'coordinate' && Math.abs(value) > number.maximum ? Number.NaN : value
}

const DEGREES =
  /^([NSEW])?\s*(\d{1,3}(?:[.,]\d+)?)\s*°?\s*(?:(\d{1,2}(?:[.,]\d+)?)\s*['′’]\s*)?(?:(\d{1,2}(?:[.,]\d+)?)\s*(?:["″”]|'')\s*)?([NSEW])?$/i

/** Degrees with a letter for their side, alone or with minutes and seconds: `51° 30' 26" N`, `48.1371N`. */
function degreesIn(text: string, mark: DecimalMark): number {
  const match = DEGREES.exec(text)
  if (match === null) return Number.NaN
  const [, before, degrees, minutes = '0', seconds = '0', after] = match
  const side = (before ?? after)?.toUpperCase()
  const isMarkedOnce = (before === undefined) !== (after === undefined)
  const parts = [degrees!, minutes, seconds]
  if (!isMarkedOnce || parts.some((part) => part.includes(mark === '.' ? ',' : '.'))) {
    return Number.NaN
  }
  const [d = 0, m = 0, s = 0] = parts.map((part) => Number(part.replace(',', '.')))
  if (m >= 60 || s >= 60) return Number.NaN
  return (d + m / 60 + s / 3600) * (side === 'S' || side === 'W' ? -1 : 1)
}

/** Whether every reader of decimals takes a cell as it is. */
export function isPlainNumber(cell: string): boolean {
  return FORMS['.'].plain.test(cell.trim()) || cell.trim() === ''
}

/** The cells of a column of numbers. */
type Numbers = { number: NumberKind; cells: readonly string[] }

/**
 * The decimal mark of a file by cells of its numbers. A cell such as `12.345` may be some twelve or some twelve thousand:
 * it decides nothing, and leaves the mark open if nothing else decides. Programs that separate cells by commas write no
 * points between thousands.
 */
export function findDecimal(columns: readonly Numbers[], delimiter: Delimiter): Part<DecimalMark> {
  const deciding = new Map<DecimalMark, string>()
  let unclear: string | null = null
  for (const { number, cells } of columns) {
    for (const cell of cells) {
      if (WHOLE.test(cell)) continue
      const point = numberWith('.', cell, number)
      const comma = numberWith(',', cell, number)
      const isPoint = !Number.isNaN(point)
      const isComma = !Number.isNaN(comma)
      if (isPoint && isComma) {
        if (point !== comma) unclear ??= cell
      } else if (isPoint && !deciding.has('.')) deciding.set('.', cell)
      else if (isComma && !deciding.has(',')) deciding.set(',', cell)
    }
  }
  if (deciding.size === 1) {
    for (const [mark, cell] of deciding) return inFile(mark, cell.trim())
  }
  if (deciding.size === 2) {
    const readings = DECIMAL_MARKS.map((value) => ({ value, reads: deciding.get(value)!.trim() }))
    return open(readings.map(({ reads }) => reads).join(' and '), readings)
  }
  if (unclear === null) return usual('.')
  const cell = unclear
  if (delimiter === ',' && !cell.includes(',')) return inFile('.', cell.trim())
  const readings = DECIMAL_MARKS.map((value) => ({
    value,
    reads: String(numberWith(value, cell, { kind: 'number' })),
  }))
  return open(cell.trim(), readings)
}
