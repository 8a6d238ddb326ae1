import {
  DECIMAL_MARKS,
  type DecimalMark,
  type Delimiter,
  inFile,
  open,
  type Part,
  usual,
} from './notation.ts'

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
