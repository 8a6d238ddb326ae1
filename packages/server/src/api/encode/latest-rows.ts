import type { FleetObject } from '../../cache/fleet-object.ts'
import type { DistanceUnit } from '../../domain/organization.ts'
import { packFix } from '../../domain/position/fix-record.ts'
import type { PositionForm } from './formats/position-form.ts'
import { encodeUnseenRow, positionRowEncoder, type RowStyle } from './position-rows.ts'

/** The row of an object at its newest position. Empty without one, in a format that has no such rows. */
export function latestRow(fleetObject: FleetObject, unit: DistanceUnit, style: RowStyle): Buffer {
  const { lastFix, fold } = fleetObject.state
  return lastFix === null || fold === null
    ? encodeUnseenRow(fleetObject, unit, style.form)
    : positionRowEncoder(fleetObject, unit, style)(packFix(lastFix, fold), false)
}

/** Objects at their newest positions as a body. `style`: with a form of points. */
export function latestBody(
  objects: readonly FleetObject[],
  unit: DistanceUnit,
  style: RowStyle & { form: PositionForm },
): Buffer {
  const { head, between, tail } = style.form
  const rows = objects
    .map((each) => latestRow(each, unit, style))
    .filter(({ length }) => length > 0)
  const separator = Buffer.from(between)
  const parts = rows.flatMap((row, index) => (index > 0 ? [separator, row] : [row]))
  return Buffer.concat([Buffer.from(head), ...parts, Buffer.from(tail)])
}
