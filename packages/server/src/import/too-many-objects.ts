import type { Organization } from '../domain/organization.ts'
import { type Fault, fault } from './row.ts'

/** Of a row that would make an object where the organization may have no other. */
export function tooManyObjects({ id, maxObjects }: Organization): Fault {
  return fault(
    'limit_of_objects',
    `max_objects of organization ${id} is ${maxObjects}, and it has as many; 'fleetgate org update ${id} --max-objects NUMBER' raises it`,
  )
}
