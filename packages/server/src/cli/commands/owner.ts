import type { Option } from 'commander'
import { distance } from 'fastest-levenshtein'
import type { MonitoredObject } from '../../domain/monitored-object.ts'
import type { Organization } from '../../domain/organization.ts'
import type { Store } from '../../store/store.ts'
import { option } from '../command.ts'
import { id } from '../options.ts'

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

/** The ids of organizations that somebody names by ids or names. The error for an unknown name has the nearest one. */
export async function organizationsNamed(
  store: Store,
  written: readonly string[],
): Promise<number[]> {
  const all = await store.organizations.list()
  return written.map((asked) => {
    if (/^\d+$/.test(asked)) return id(asked)
    const named = all.filter(({ name }) => name.toLowerCase() === asked.toLowerCase())
    if (named.length === 1) return named[0]!.id
    const alike = named.length > 1 ? named : all.toSorted(byDistanceTo(asked)).slice(0, 1)
    const shown = alike.map((each) => `${each.name} (${each.id})`).join(', ')
    throw new Error(
      `${named.length > 1 ? 'several organizations have' : 'no organization has'} the name '${asked}'${shown && `: give the id, as of ${shown}`}; 'fleetgate org list' shows those there are`,
    )
  })
}

function byDistanceTo(asked: string) {
  const far = ({ name }: Organization) => distance(asked.toLowerCase(), name.toLowerCase())
  return (a: Organization, b: Organization) => far(a) - far(b)
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
