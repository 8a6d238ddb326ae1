import { numbersIn, OWNTRACKS_NAMES } from '../../domain/position/field-lists.ts'
import { fault, faultyRow, fixRow, omittedRow, type Remarks, type Row } from '../row.ts'
import type { Source } from '../source.ts'
import { booleanIn, type SpeedUnit } from './cells.ts'
import type { Field } from './columns.ts'
import { knownCells, noteAttribute, type Values } from './known-cells.ts'
import { type Line, readLines } from './lines.ts'

/** A line: time, kind (`*` for what a device published on its own topic) and payload, separated by tabs. */
const LINE = /^([^\t]*)\t([^\t]*)\t(.*)$/

/**
 * The positions of a `.rec` file of OwnTracks Recorder. The ident is the payload's `topic`, else its `tid`, as in the
 * feed. Other messages of the phone are omitted by their type.
 * https://owntracks.org/booklet/tech/json/
 */
export async function* readOwnTracksRows(
  source: Source,
  fields: readonly Field[],
  speedUnit: SpeedUnit | null,
  remarks: Remarks,
): AsyncGenerator<Row[]> {
  const known = knownCells(fields, numbersIn('owntracks'), speedUnit, remarks)

  function rowOf(line: Line): Row {
    const { number, text } = line
    const [, received = '', , payload = ''] = LINE.exec(text) ?? []
    const message = line.tooLong ? null : messageIn(payload)
    if (message === null) return brokenRow(line)
    const type = typeof message._type === 'string' ? message._type : 'no type'
    if (type !== 'location') {
      const detail =
        type === 'encrypted' ? 'the phone encrypted it' : 'it is no position (_type location)'
      return omittedRow(number, text, `message_${type.slice(0, 40)}`, detail)
    }
    const values: Values = new Map<string, unknown>([
      ['ident', message.topic ?? message.tid],
      ['time_device', message.tst ?? received],
      ['latitude', message.lat],
      ['longitude', message.lon],
      ['ignition', booleanIn(message.ign) ?? null],
    ])
    known.addNumbers(values, message, number)
    const attributes = Object.entries(message).filter(
      ([name, value]) => !OWNTRACKS_NAMES.has(name) && value !== null,
    )
    for (const [name] of attributes) noteAttribute(remarks, name)
    return { ...fixRow(number, text, known.cells(values)), attributes }
  }

  for await (const lines of readLines(source.bytes)) {
    yield lines.filter(({ text }) => text.trim() !== '').map(rowOf)
  }
  known.finish()
}

function messageIn(payload: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(payload)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

function brokenRow({ number, text, ended, tooLong }: Line): Row {
  const detail = tooLong ? 'the line is too long' : 'it is not a time, a kind and a JSON object'
  return faultyRow(number, text, fault(ended ? 'malformed' : 'truncated', detail))
}
