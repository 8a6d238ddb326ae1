import { styleText } from 'node:util'
import { maxOf } from '../../domain/common/any-number.ts'
import { plainNumber } from '../../domain/common/json.ts'
import { harmless } from './harmless.ts'

export type Cell = string | number | boolean | null

/**
 * Rows under headings, with aligned columns and numbers to the right. Null is shown as `-`. Headings are
 * bold if stdout is a terminal without NO_COLOR.
 */
export function table(headings: string[], rows: Cell[][]): string {
  const texts = rows.map((row) => row.map(show))
  const widths = headings.map((heading, column) =>
    texts.reduce((widest, row) => Math.max(widest, width(row[column]!)), width(heading)),
  )
  const isNumeric = headings.map(
    (_, column) =>
      rows.some((row) => typeof row[column] === 'number') &&
      rows.every((row) => typeof row[column] !== 'string'),
  )
  const line = (cells: string[]) =>
    cells
      .map((cell, column) => {
        const padding = ' '.repeat(widths[column]! - width(cell))
        return isNumeric[column] ? padding + cell : cell + padding
      })
      .join('  ')
      .trimEnd()
  return [emphasis(line(headings)), ...texts.map(line)].join('\n')
}

/** The fields of one item, one for each line. */
export function card(fields: Record<string, Cell>): string {
  const longest = maxOf(Object.keys(fields).map(width))
  return Object.entries(fields)
    .map(([name, value]) => `${emphasis(name.padEnd(longest))}  ${show(value)}`)
    .join('\n')
}

function show(cell: Cell): string {
  if (cell === null) return '-'
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no'
  return harmless(typeof cell === 'number' ? plainNumber(cell) : cell)
}

function emphasis(text: string): string {
  return styleText('bold', text, { stream: process.stdout })
}

const graphemes = new Intl.Segmenter()

/** The width of a text in columns: East Asian scripts and emoji take two. */
function width(text: string): number {
  // Segmenting takes far longer, and a long table has hundreds of thousands of cells.
  if (/^[ -~]*$/.test(text)) return text.length
  let columns = 0
  for (const { segment } of graphemes.segment(text)) {
    columns +=
      /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]/u.test(
        segment,
      )
        ? 2
        : 1
  }
  return columns
}
