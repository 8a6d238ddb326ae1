import type { AttributeEntry, AttributeValue } from '../../domain/attributes/catalogue.ts'
import { plainNumber, toJson } from '../../domain/common/json.ts'
import { formatInstant } from '../../domain/time/time.ts'

/** The attributes of an answer, in the order of the catalogue. `isCurrent`: with the times of their values. */
export type ShownAttributes = {
  readonly entries: readonly AttributeEntry[]
  readonly isCurrent: boolean
}

/** The attributes of one row, as answers show them, by the entries of the answer. Undefined: none. */
export type RowAttributes = {
  readonly values: readonly (AttributeValue | undefined)[]
  /** Milliseconds since the epoch. Only of current values. */
  readonly times?: readonly (number | undefined)[]
}

/** How a format writes the attributes at the end of a row. */
export type AttributeForm = ShownAttributes & {
  /** The text after the fields, with the end of the row. */
  text(row: RowAttributes): string
}

/** The value of an attribute as JSON. */
function attributeJson(value: AttributeValue): string {
  return typeof value === 'number' ? plainNumber(value) : toJson(value)
}

/** Two members of the row: an object with the values, and one with their times. */
export function attributeMembers(shown: ShownAttributes, end: string): AttributeForm {
  const keys = shown.entries.map(({ name }) => `"${name}":`)
  return {
    ...shown,
    text({ values, times }) {
      const text = `,"attributes":{${membersOf(keys, values, attributeJson)}}`
      return times === undefined
        ? text + end
        : `${text},"attributes_at":{${membersOf(keys, times, timeJson)}}${end}`
    },
  }
}

/** A member of the row for each attribute. */
export function attributeProperties(shown: ShownAttributes, end: string): AttributeForm {
  const keys = shown.entries.map(({ name }) => `"${name}":`)
  const timeKeys = shown.entries.map(({ name }) => `"${partColumn(name, 'at')}":`)
  return {
    ...shown,
    text({ values, times = [] }) {
      const members = [membersOf(keys, values, attributeJson), membersOf(timeKeys, times, timeJson)]
      return members.map((text) => (text === '' ? '' : `,${text}`)).join('') + end
    },
  }
}

/** A cell for each attribute, and one for its time. `text`: a text as a cell. */
export function attributeCells(
  shown: ShownAttributes,
  text: (value: string) => string,
  end: string,
): AttributeForm {
  const cell = (value: AttributeValue | undefined) => {
    if (value === undefined) return ''
    if (typeof value === 'string') return text(value)
    return typeof value === 'number' ? plainNumber(value) : String(value)
  }
  return {
    ...shown,
    text({ values, times = [] }) {
      let line = ''
      for (let i = 0; i < values.length; i++) {
        line += `,${cell(values[i])}`
        if (shown.isCurrent) line += `,${times[i] === undefined ? '' : formatInstant(times[i]!)}`
      }
      return line + end
    },
  }
}

/** The columns of a table, each with the one of its time. The catalogue refuses names that fields have. */
export function attributeHeadings({ entries, isCurrent }: ShownAttributes): string[] {
  return entries.flatMap(({ name }) => (isCurrent ? [name, partColumn(name, 'at')] : [name]))
}

/** The column of a part of an attribute. No name of an attribute or of a field has two underscores in a row. */
export function partColumn(name: string, part: string): string {
  return `${name}__${part}`
}

const timeJson = (time: number) => `"${formatInstant(time)}"`

function membersOf<Value>(
  keys: readonly string[],
  values: readonly (Value | undefined)[],
  textOf: (value: Value) => string,
): string {
  let text = ''
  for (let i = 0; i < values.length; i++) {
    const value = values[i]
    if (value === undefined) continue
    text += (text === '' ? '' : ',') + keys[i]! + textOf(value)
  }
  return text
}
