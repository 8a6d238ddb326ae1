import type { AttributeEntry } from '../../base/domain/attributes/attribute-catalogue.ts'
import { takersByName, takersOf } from '../../base/domain/attributes/takers.ts'
import {
  type AttributeNames,
  readSection,
  sectionStart,
  type TakeEntry,
  writeEntry,
} from '../../base/domain/position/attribute-section.ts'
import { FIX_FLAG, FIX_RECORD, flagsAt, unpackFix } from '../../base/domain/position/fix-record.ts'
import { type PositionColumns, timeIn } from '../../base/domain/position/position-columns.ts'

/*
 * The attributes of positions for a key that sees others at other times, or of other objects. A value that several
 * entries of the catalogue take is shown where all of them are open.
 */

/** The names of attributes that are open for an object at a moment. Null: all. Undefined: the object shows nothing then. */
export type OpenAt = (object: number, time: number) => ReadonlySet<string> | null | undefined

/** Whether a value of a position is shown, by the index of its name. */
type Shows = (index: number) => boolean

/** The values that an object shows, by the time of a position. */
export type ShownValues = (time: number) => Shows

const EVERY: Shows = () => true
const NONE: Shows = () => false

/** `entries`: those that the key sees at any time. */
export function shownValues(
  openAt: OpenAt,
  entries: readonly AttributeEntry[],
  object: number,
  names: AttributeNames,
): ShownValues {
  const takers = takersByName(entries)
  const known = new Map<ReadonlySet<string>, Shows>()
  const among = (open: ReadonlySet<string>): Shows => {
    const isShown = names.map(({ name }) =>
      takersOf(takers, name, object).every(({ entry }) => open.has(entries[entry]!.name)),
    )
    return (index) => isShown[index] ?? false
  }
  return (time) => {
    const open = openAt(object, time)
    if (open === null) return EVERY
    if (open === undefined) return NONE
    const shows = known.get(open) ?? among(open)
    known.set(open, shows)
    return shows
  }
}

export function takeShown(shows: Shows, take: TakeEntry): TakeEntry {
  return (index, value) => {
    if (shows(index)) take(index, value)
  }
}

export function shownColumns(columns: PositionColumns, shown: ShownValues): PositionColumns {
  return {
    ...columns,
    readAttributes: (row, take) =>
      columns.readAttributes(row, takeShown(shown(timeIn(columns, row)), take)),
  }
}

/** A fix record with only the values that are shown. */
export function shownRecord(record: Uint8Array, shown: ShownValues): Uint8Array {
  if ((flagsAt(record, 0) & FIX_FLAG.attributes) === 0) return record
  const out = Buffer.from(record)
  const start = sectionStart(record, record.length)
  let end = start
  const take: TakeEntry = (index, value) => {
    end = writeEntry(out, end, index, value)
  }
  readSection(record, record.length, takeShown(shown(unpackFix(record).timeDevice), take))
  // A section may be empty.
  end = out.writeUInt16LE(end - start, end)
  out.writeUInt16LE(end, FIX_RECORD.length)
  return out.subarray(0, end)
}
