import { writeBytes } from '../number-bytes.ts'
import {
  type Columns,
  EXACT_FIELDS,
  type FieldText,
  namesOf,
  type PositionField,
  type PositionForm,
} from './position-form.ts'

export const JSON_AROUND = { head: '{"statusCode":200,"result":[', tail: ']}', between: ',' }

/** Rows as elements of a JSON list. */
export function jsonPositions(columns: Columns): PositionForm {
  return {
    ...JSON_AROUND,
    fields: ['{', ...jsonFields(namesOf(columns)), '}'],
    ...{ openObject: () => '', closeObject: '', hasUnseen: true },
    ...{ text: JSON.stringify, writeText: writeJsonText },
  }
}

/** One row on each line. */
export function ndjsonPositions(columns: Columns): PositionForm {
  const json = jsonPositions(columns)
  return { ...json, head: '', tail: '', between: '', fields: [...json.fields, '\n'] }
}

const TIMES: readonly PositionField[] = ['time_server', 'time_device']
const [FIRST_EXACT] = EXACT_FIELDS
const LAST_EXACT = EXACT_FIELDS.at(-1)

/** Members of a JSON object. The exact counters are an object of their own. */
export function jsonFields(names: readonly PositionField[]): FieldText[] {
  return names.map((name, index) => {
    const comma = index === 0 ? '' : ','
    const opening = name === FIRST_EXACT ? `${comma}"exact":{` : comma
    const member = `${opening}"${name}":`
    const closing = name === LAST_EXACT ? '}' : ''
    return TIMES.includes(name)
      ? { name, before: `${member}"`, after: '"', none: `${member}null` }
      : { name, before: member, after: closing, none: `${member}null${closing}` }
  })
}

const QUOTE = 34

/** The JSON escape of each byte of UTF-8 that needs one. */
const ESCAPES = Array.from({ length: 0x100 }, (_, code) => {
  const escaped = JSON.stringify(String.fromCharCode(code)).slice(1, -1)
  return escaped.length > 1 ? Buffer.from(escaped) : undefined
})

/**
 * Writes UTF-8 text as a JSON string. Takes at most six bytes for each byte of the text, and two more.
 */
export function writeJsonText(
  out: Uint8Array,
  at: number,
  utf8: Uint8Array,
  from: number,
  to: number,
): number {
  let end = at
  out[end++] = QUOTE
  for (let i = from; i < to; i++) {
    const byte = utf8[i]!
    const escaped = ESCAPES[byte]
    if (escaped === undefined) out[end++] = byte
    else end = writeBytes(out, end, escaped)
  }
  out[end++] = QUOTE
  return end
}
