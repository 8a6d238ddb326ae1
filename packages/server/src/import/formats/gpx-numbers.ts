import { SENT } from '../../domain/position/field-lists.ts'
import type { Remarks } from '../row.ts'
import { numberIn } from './cells.ts'
import { unreadNumbers } from './known-cells.ts'

const LIMITS = new Map(SENT.map((quantity) => [quantity.name as string, quantity]))

/** XML has decimal points. Programs in languages with a decimal comma write commas all the same. */
const DECIMAL_COMMA = /^\s*([+-]?\d+),(\d+)\s*$/

export type GpxNumbers = {
  /** A coordinate with a decimal point. */
  coordinate(text: string, line: number): string
  /** The text of an element for its field. Undefined: the value is unknown. */
  value(field: string, element: string, text: string, line: number): string | undefined
  /** Remarks on the numbers that were not read as they are. */
  finish(): void
}

/**
 * The numbers of GPX as programs write them. An optional one that cannot be read, or that no vehicle can have, costs
 * nothing else of its point. A number below zero that cannot be negative is how phones write an unknown one.
 */
export function gpxNumbers(file: string, remarks: Remarks): GpxNumbers {
  let comma: string | null = null
  const unread = unreadNumbers(remarks)

  function withPoint(text: string, line: number): string {
    if (!text.includes(',')) return text
    const point = text.replace(DECIMAL_COMMA, '$1.$2')
    if (point !== text) comma ??= `in line ${line}: '${text}' is ${point}`
    return point
  }

  return {
    coordinate: withPoint,
    value(field, element, text, line) {
      const limits = LIMITS.get(field)
      if (limits === undefined) return text
      const written = withPoint(text, line)
      const number = numberIn(written)
      if (number === null || (number < 0 && limits.minimum >= 0)) return undefined
      if (number > limits.maximum && limits.isWorseAbove) return String(limits.maximum)
      const isKnown = number >= limits.minimum && number <= limits.maximum
      if (isKnown) return written
      unread.add(`<${element}> of '${file}'`, line)
    },
    finish() {
      if (comma !== null) remarks.notes.add(`'${file}' has decimal commas, the first ${comma}`)
      unread.finish()
    },
  }
}
