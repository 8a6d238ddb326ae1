import type { Option } from 'commander'
import type { MonitoredObject } from '../../domain/monitored-object.ts'
import type { Organization } from '../../domain/organization.ts'
import type { Store } from '../../store/store.ts'
import { option } from '../command.ts'
import { id } from '../value.ts'

/** The organization of a command. */
export type OwnerOptions = { org: number }

export function ownerOption(): Option {
  return option('--org <id>', 'the organization, by its id; required')
    .argParser(id)
    .makeOptionMandatory()
}

/** Finds the organization with the given id. */
export async function organizationOf(store: Store, organization: number): Promise<Organization> {
  const found = await store.organizations.find(organization)
  if (found === null) throw noSuchOrganization(organization)
  return found
}

export function noSuchOrganization(organization: number): Error {
  return noSuch('organization', organization, 'org list')
}

/** The error for an id that nothing has. `list`: the command that shows those there are. */
export function noSuch(noun: string, id: number, list: string): Error {
  return new Error(`there is no ${noun} ${id}; 'fleetgate ${list}' shows those there are`)
}

/** Finds the object with the given id. */
export async function objectOf(
  store: Store,
  organization: number,
  object: number,
): Promise<MonitoredObject> {
  const found = await store.objects.find(organization, object)
  if (found === null)
    throw notOwned({ singular: 'object', plural: 'objects' }, organization, object)
  return found
}

/** The error for an organization that has no item of a kind with that id. */
export function notOwned(
  { singular, plural }: { singular: string; plural: string },
  organization: number,
  id: number,
): Error {
  return new Error(
    `organization ${organization} has no ${singular} ${id}; 'fleetgate ${plural} list --org ${organization}' shows those it has`,
  )
}
