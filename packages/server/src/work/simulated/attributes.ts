import type { AttributeEntry } from '../../base/domain/attributes/attribute-catalogue.ts'
import { entryFor } from '../../base/domain/attributes/known-names.ts'
import type { AttributeValue } from '../../base/domain/position/attribute.ts'
import { type Attribute, byName } from '../../base/domain/position/attribute.ts'

/** The values that trackers of the simulated fleets send in addition to positions, under the names of Traccar. */
export type SentValues = {
  /** Percent. */
  fuelLevel: number
  /** Volts. */
  battery: number
  driverUniqueId: string
  /** Degrees Celsius, of a refrigerated vehicle. */
  temp1?: number
}

const EXAMPLES: Required<SentValues> = { fuelLevel: 0, battery: 0, driverUniqueId: '', temp1: 0 }

/** The catalogue of the simulated fleets: all that their trackers send, shown to every key. */
export const SIMULATED_ATTRIBUTES: readonly AttributeEntry[] = Object.entries(EXAMPLES).map(
  ([source, value]) => ({ ...entryFor(source, [value]), isPublic: true }),
)

/** The attributes of a fix with these values. */
export function attributesOf(values: SentValues): Attribute[] {
  return Object.entries<AttributeValue>(values)
    .map(([name, value]) => ({ name, value }))
    .sort(byName)
}
