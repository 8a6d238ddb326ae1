import type { AttributeValue } from '../domain/attributes/catalogue.ts'
import { takeTurn } from '../domain/common/slots.ts'
import { FIX_RECORD, unpackFix } from '../domain/position/fix-record.ts'
import type { TimeRange } from '../domain/time/time.ts'
import type { PositionStore } from '../store/position-store.ts'
import * as doc from './schema.ts'

/** Positions that are read. A day with a position each second has 86,400. */
const MAX_POSITIONS = 100_000
/** Rows of an answer. */
const MAX_ROWS = 1_000

/** The values of a position as its device gave them, by its names. */
export type SentRow = {
  readonly timeDevice: number
  readonly values: Readonly<Record<string, AttributeValue>>
}

export const SENT_VALUES = doc.record(
  {
    items: doc.list(
      doc.record(
        {
          time_device: doc.instant('When the position was taken.'),
          values: doc.plain<SentRow['values']>(
            {
              type: 'object',
              additionalProperties: { type: ['number', 'boolean', 'string'] },
            },
            'By name: the value as the device gave it.',
          ),
        },
        'The values of a position.',
      ),
      `By time, ascending. If there are more than ${MAX_ROWS.toLocaleString('en')}, that many of them at even distances.`,
    ),
    positions: doc.integer('Positions of the range that have such values.'),
    truncated: doc.yes(
      `Whether the range has more than ${MAX_POSITIONS.toLocaleString('en')} positions: the first ones are read.`,
    ),
  },
  'The values that the device of an object sent in a range of time.',
  'SentValues',
)

/** Values that the device of an object sent in a range. `names`: of those that are wanted. Null: all. */
export async function sentValues(
  positions: PositionStore,
  { organization, id }: { organization: number; id: number },
  range: TimeRange,
  names: readonly string[] | null,
) {
  const state = (await positions.states(organization, [id])).get(id)
  const known = state?.attributes ?? []
  const rows: SentRow[] = []
  const { next, blocks } = await positions.history(organization, id, range, MAX_POSITIONS)
  for await (const block of blocks) {
    await takeTurn()
    const records = Buffer.from(block.buffer, block.byteOffset, block.byteLength)
    for (let at = 0; at < records.length; at += records.readUInt16LE(at + FIX_RECORD.length)) {
      const { timeDevice, attributes } = unpackFix(records, at, known)
      const wanted = attributes?.filter(({ name }) => names?.includes(name) ?? true) ?? []
      if (wanted.length === 0) continue
      const values = Object.fromEntries(wanted.map(({ name, value }) => [name, value]))
      rows.push({ timeDevice, values })
    }
  }
  return SENT_VALUES.write({
    items: evenly(rows, MAX_ROWS),
    positions: rows.length,
    truncated: next !== null,
  })
}

/** At most this many of the rows, the first and the last among them. */
function evenly<Row>(rows: readonly Row[], most: number): readonly Row[] {
  if (rows.length <= most) return rows
  const step = (rows.length - 1) / (most - 1)
  return Array.from({ length: most }, (_, index) => rows[Math.round(index * step)]!)
}
