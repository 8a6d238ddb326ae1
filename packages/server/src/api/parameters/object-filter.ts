import type { MonitoredObject } from '../../domain/monitored-object.ts'
import { type Refusal, repeatedParameter } from '../refusal.ts'
import type { Query } from '../request/query.ts'

/** A selection of objects by their texts. Undefined: any. */
export type ObjectFilter = {
  readonly ident: string | undefined
  readonly vin: string | undefined
  readonly plateNumber: string | undefined
  /** A part of any of these or of the name, in upper or lower case. */
  readonly text: string | undefined
}

const PARAMETERS = ['ident', 'vin', 'plate_number', 'q'] as const

/** Reads the filters of the object list. An empty one counts as absent. Null: there is none. */
export function readObjectFilter(query: Query): ObjectFilter | null | Refusal {
  for (const name of PARAMETERS) {
    if ((query.get(name)?.length ?? 0) > 1) return repeatedParameter(name)
  }
  const [ident, vin, plateNumber, text] = PARAMETERS.map(
    (name) => query.get(name)?.[0] || undefined,
  )
  const given = ident ?? vin ?? plateNumber ?? text
  return given === undefined ? null : { ident, vin, plateNumber, text }
}

/** Whether an object passes a filter. */
export function objectMatcher({ ident, vin, plateNumber, text }: ObjectFilter) {
  const part = text?.toLowerCase()
  const contains = (value: string | null) => value?.toLowerCase().includes(part!)
  return (object: MonitoredObject): boolean =>
    (ident === undefined || object.ident === ident) &&
    (vin === undefined || object.vin === vin) &&
    (plateNumber === undefined || object.plateNumber === plateNumber) &&
    (part === undefined ||
      [object.name, object.ident, object.vin, object.plateNumber].some(contains))
}
