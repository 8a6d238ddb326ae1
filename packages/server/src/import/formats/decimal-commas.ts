import type { Remarks } from '../row.ts'

/** No decimal of XML has a comma. Programs write one in languages that have it. */
const DECIMAL_COMMA = /^\s*([+-]?\d+),(\d+)\s*$/

/** The decimals of an XML file, with points for commas. `finish` notes the first comma. */
export function decimalCommas(file: string, remarks: Remarks) {
  let first: string | null = null
  return {
    withPoint(text: string, line: number): string {
      if (!text.includes(',')) return text
      const point = text.replace(DECIMAL_COMMA, '$1.$2')
      if (point !== text) first ??= `in line ${line}: '${text}' is ${point}`
      return point
    },
    finish(): void {
      if (first !== null) remarks.notes.add(`'${file}' has decimal commas, the first ${first}`)
    },
  }
}
