import type { FleetObject, OwnObject } from '../../cache/fleet-object.ts'
import { lackNames } from '../encode/row-attributes.ts'
import type { ReadFleet } from '../scope/scoped-fleet.ts'

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
