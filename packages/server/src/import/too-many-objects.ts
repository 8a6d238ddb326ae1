import type { Organization } from '../domain/organization.ts'
import { type Fault, fault } from './row.ts'

/** The fault of a row that would create an object beyond the organization's limit. */
export function tooManyObjects({ id, maxObjects }: Organization): Fault {
  return fault(
    'limit_of_objects',
    `max_objects of organization ${id} is ${maxObjects}, and it has as many; 'fleetgate org update ${id} --max-objects NUMBER' raises it`,
  )
}
