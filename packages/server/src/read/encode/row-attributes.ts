import type { AttributeEntry } from '../../base/domain/attributes/attribute-catalogue.ts'
import { currentValues } from '../../base/domain/attributes/current-values.ts'
import { MappedValues } from '../../base/domain/attributes/takers.ts'
import type { AttributeNames } from '../../base/domain/position/attribute-section.ts'
import { FIX_FLAG } from '../../base/domain/position/fix-record.ts'
import { attributesNow } from '../../base/domain/position/object-state.ts'
import type { PositionColumns } from '../../base/domain/position/position-columns.ts'
import type { Fleet } from '../../data/cache/fleet-cache.ts'
import type { FleetObject, OwnObject } from '../../data/cache/fleet-objects.ts'
import type { RowAttributes, ShownAttributes } from '../formats/position-format.ts'

/** Reads the attributes of a row. The result is overwritten by the next call. */
type ReadAttributes = (columns: PositionColumns, row: number) => RowAttributes

/** The part of an object that its attributes are read from. */
type AttributesOwner = Omit<FleetObject, 'object'> & { object: Pick<FleetObject['object'], 'id'> }

/** How an answer gets the attributes of rows of an object with these: those of each row, or the current ones. */
export function attributeReader(
  { entries, isCurrent }: ShownAttributes,
  owner: AttributesOwner,
): ReadAttributes {
  if (isCurrent) {
    const current = currentAttributes(entries, owner)
    return () => current
  }
  const { object, state } = owner
  const mapped = new MappedValues(entries, object.id, state.attributes)
  return (columns, row) => {
    mapped.clear()
    if ((columns.flags[row]! & FIX_FLAG.attributes) !== 0) columns.readAttributes(row, mapped.take)
    return mapped
  }
}

/** The current value of each entry with its time. */
export function currentAttributes(
  entries: readonly AttributeEntry[],
  { object, state, attributesAt = attributesNow(state) }: AttributesOwner,
): Required<RowAttributes> {
  const { attributes } = attributesAt
  const shown = currentValues(entries, attributes, attributesAt, () => object.id)
  return { values: shown.map((each) => each?.value), times: shown.map((each) => each?.at) }
}

/** The attributes of a row without a position. */
export function noAttributes({ entries, isCurrent }: ShownAttributes): RowAttributes {
  const values = entries.map(() => undefined)
  return isCurrent ? { values, times: values } : { values }
}

/** Whether a row has an attribute whose name was not among these when they were read. */
export function lackNames(columns: PositionColumns, names: AttributeNames): boolean {
  let isLacking = false
  const take = (index: number) => {
    if (index >= names.length) isLacking = true
  }
  for (let row = 0; row < columns.rows; row += 1) {
    if ((columns.flags[row]! & FIX_FLAG.attributes) !== 0) columns.readAttributes(row, take)
  }
  return isLacking
}

/** The object with the names of all attributes in these rows, which may be newer than its state. */
export async function withNames(
  fleet: Pick<Fleet, 'withStates'>,
  own: OwnObject,
  known: FleetObject,
  columns: PositionColumns,
): Promise<FleetObject> {
  if (!lackNames(columns, known.state.attributes)) return known
  const [newer] = await fleet.withStates([own])
  return { object: known.object, state: { ...known.state, attributes: newer!.state.attributes } }
}
