import type { FleetObject, OwnObject } from '../../cache/fleet-objects.ts'
import { type AttributeNames, readSection } from '../../domain/attributes/attribute-section.ts'
import type { AttributeEntry } from '../../domain/attributes/catalogue.ts'
import type { CurrentAttributes } from '../../domain/attributes/current-attributes.ts'
import { currentValue, RawValues, shownValue } from '../../domain/attributes/shown-value.ts'
import { FIX_FLAG, FIX_RECORD, flagsAt } from '../../domain/position/fix-record.ts'
import type { RowAttributes, ShownAttributes } from '../formats/position-form.ts'
import type { ReadFleet } from '../rows/scoped-sources.ts'

/** Reads the attributes of the record from `at` to `end`. The result is overwritten by the next call. */
type ReadAttributes = (records: Uint8Array, at: number, end: number) => RowAttributes

/** How an answer gets the attributes of rows of an object with these: those of each record, or the current ones. */
export function attributeReader(
  { entries, isCurrent }: ShownAttributes,
  attributes: CurrentAttributes,
): ReadAttributes {
  if (isCurrent) {
    const current = currentAttributes(entries, attributes)
    return () => current
  }
  const raw = new RawValues(entries, attributes)
  const { values } = raw
  return (records, at, end) => {
    raw.clear()
    if ((flagsAt(records, at) & FIX_FLAG.attributes) === 0) return raw
    readSection(records, end, raw.take)
    for (let i = 0; i < values.length; i++) {
      const value = values[i]
      if (value !== undefined) values[i] = shownValue(value, entries[i]!)
    }
    return raw
  }
}

/** The current value of each entry with its time. */
export function currentAttributes(
  entries: readonly AttributeEntry[],
  attributes: CurrentAttributes,
): Required<RowAttributes> {
  const shown = entries.map((entry) => currentValue(entry, attributes))
  return { values: shown.map((each) => each?.value), times: shown.map((each) => each?.at) }
}

/** The attributes of a row without a position. */
export function noAttributes({ entries, isCurrent }: ShownAttributes): RowAttributes {
  const values = entries.map(() => undefined)
  return isCurrent ? { values, times: values } : { values }
}

/** Whether a record has an attribute whose name was not among these when they were read. */
export function lackNames(records: Uint8Array, names: AttributeNames): boolean {
  let isLacking = false
  const take = (index: number) => {
    if (index >= names.length) isLacking = true
  }
  for (let at = 0; at + FIX_RECORD.optional <= records.length; ) {
    const length = records[at + FIX_RECORD.length]! | (records[at + FIX_RECORD.length + 1]! << 8)
    // The encoder reports the damage.
    if (length < FIX_RECORD.optional) return false
    const end = at + length
    if ((flagsAt(records, at) & FIX_FLAG.attributes) !== 0) readSection(records, end, take)
    at = end
  }
  return isLacking
}

/** The object with the names of all attributes in these records, which may be newer than its state. */
export async function withNames(
  fleet: Pick<ReadFleet, 'withStates'>,
  own: OwnObject,
  known: FleetObject,
  records: Uint8Array,
): Promise<FleetObject> {
  if (!lackNames(records, known.state.attributes)) return known
  const [newer] = await fleet.withStates([own])
  return { object: known.object, state: { ...known.state, attributes: newer!.state.attributes } }
}
