import { toJson } from '../../base/domain/common/plain-json.ts'
import { writeBytes } from './number-format.ts'
import {
  attributeMembers,
  type Columns,
  EXACT_FIELDS,
  type FieldText,
  namesOf,
  type PositionField,
  type PositionForm,
} from './position-format.ts'

export const JSON_AROUND = { head: '{"statusCode":200,"result":[', tail: ']}', between: ',' }

/** Rows as elements of a JSON list. `end`: of each row. */
export function jsonPositions(columns: Columns, end = '}'): PositionForm {
  const { attributes } = columns
  const fields = ['{', ...jsonFields(namesOf(columns))]
  return {
    ...JSON_AROUND,
    ...(attributes === null
      ? { fields: [...fields, end] }
      : { fields, attributes: attributeMembers(attributes, end) }),
    openObject: () => '',
    closeObject: '',
    hasUnseen: true,
    text: toJson,
    writeText: writeJsonText,
  }
}

/** One row on each line. */
export function ndjsonPositions(columns: Columns): PositionForm {
  return { ...jsonPositions(columns, '}\n'), head: '', tail: '', between: '' }
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

/** The first byte of U+2028 and U+2029, which `toJson` escapes, and of other characters. */
const SEPARATOR_LEAD = 0xe2
const LINE_SEPARATOR = Buffer.from(toJson('\u2028').slice(1, -1))
const PARAGRAPH_SEPARATOR = Buffer.from(toJson('\u2029').slice(1, -1))

/** The JSON escape of each byte of UTF-8 that needs one, and the lead itself, which is looked at closely. */
const ESCAPES = Array.from({ length: 0x100 }, (_, code) => {
  const escaped = JSON.stringify(String.fromCharCode(code)).slice(1, -1)
  if (code === SEPARATOR_LEAD) return Buffer.of(code)
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
    if (escaped === undefined) {
      out[end++] = byte
    } else if (byte !== SEPARATOR_LEAD) {
      end = writeBytes(out, end, escaped)
    } else {
      const separator = separatorAt(utf8, i)
      end = writeBytes(out, end, separator ?? escaped)
      if (separator !== undefined) i += 2
    }
  }
  out[end++] = QUOTE
  return end
}

/** The escape of the separator at this index, if it is one. */
function separatorAt(utf8: Uint8Array, at: number): Buffer | undefined {
  if (utf8[at + 1] !== 0x80) return undefined
  const last = utf8[at + 2]
  if (last === 0xa8) return LINE_SEPARATOR
  return last === 0xa9 ? PARAGRAPH_SEPARATOR : undefined
}
