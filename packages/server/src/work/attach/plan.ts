import { ORGANIZATION_RULES } from '../../base/domain/organization.ts'
import { breach, TIME_ZONE_RULE } from '../../base/domain/setting-rule.ts'
import type { TraccarCatalogue, TraccarDevice, TraccarGeofence } from './traccar-tables.ts'

/*
 * The plan of an attached Traccar: which of its users and groups become which organizations. An operator edits it.
 */

export type PlannedOrganization = {
  name: string
  /** Ids of users and of groups whose devices and geofences it gets: also those that they get later. */
  users: number[]
  groups: number[]
  /** The `uniqueId`s of further devices, and of those that it does not get. */
  devices: string[]
  without: string[]
}

export type Plan = {
  /** The IANA time zone of the times in Traccar's database. */
  timeZone: string
  organizations: PlannedOrganization[]
}

/** The file is not a valid plan. The message says where it is wrong. */
export class BadPlan extends Error {
  override name = 'BadPlan'
}

/**
 * A plan with an organization for each user with devices who is not an administrator. Users with the same devices are
 * colleagues: they share one. Without such users, each group at the top becomes one, and without groups all devices do.
 */
export function proposePlan(traccar: TraccarCatalogue, by: 'users' | 'groups' | null): Plan {
  const byUsers = by === 'groups' ? [] : organizationsOfUsers(traccar)
  const isByGroups = by === 'groups' || (by === null && byUsers.length === 0)
  const found = isByGroups ? organizationsOfGroups(traccar) : byUsers
  const all = { users: [], groups: [], devices: traccar.devices.map((each) => each.uniqueId) }
  const organizations =
    found.length > 0 ? found : [{ name: 'Fleet', ...all, without: [] } as PlannedOrganization]
  return { timeZone: 'UTC', organizations: withOwnNames(organizations) }
}

function organizationsOfUsers(traccar: TraccarCatalogue): PlannedOrganization[] {
  const byDevices = new Map<string, PlannedOrganization>()
  for (const { id, name, email, administrator } of traccar.users) {
    const made = { name: name || email, users: [id], groups: [], devices: [], without: [] }
    const devices = devicesOf(traccar, made).map((each) => each.id)
    if (administrator === 1 || devices.length === 0) continue
    const colleagues = byDevices.get(devices.join())
    if (colleagues === undefined) byDevices.set(devices.join(), made)
    else colleagues.users.push(id)
  }
  return [...byDevices.values()]
}

function organizationsOfGroups(traccar: TraccarCatalogue): PlannedOrganization[] {
  return traccar.groups
    .filter(({ parent }) => parent === null)
    .map(({ id, name }) => ({ name, users: [], groups: [id], devices: [], without: [] }))
    .filter((each) => devicesOf(traccar, each).length > 0)
}

/** Names are how a plan and its organizations find each other. */
function withOwnNames(organizations: readonly PlannedOrganization[]): PlannedOrganization[] {
  const names = new Set<string>()
  return organizations.map((each) => {
    const name = ORGANIZATION_RULES.name.holds(each.name) ? each.name : 'Customer'
    let own = name
    for (let number = 2; names.has(own); number += 1) own = `${name} (${number})`
    names.add(own)
    return { ...each, name: own }
  })
}

/** The devices that an organization gets, by id. */
export function devicesOf(
  traccar: TraccarCatalogue,
  { users, groups, devices, without }: PlannedOrganization,
): TraccarDevice[] {
  const { links } = traccar
  const inGroups = groupsOf(traccar, users, groups)
  const linked = linkedTo(links.userDevice, new Set(users))
  const [also, never] = [new Set(devices), new Set(without)]
  return traccar.devices.filter(({ id, uniqueId, group }) => {
    const isIn = linked.has(id) || (group !== null && inGroups.has(group)) || also.has(uniqueId)
    return isIn && !never.has(uniqueId)
  })
}

/** The geofences of an organization: those of its users, of its groups and of its devices, by id. */
export function geofencesOf(
  traccar: TraccarCatalogue,
  planned: PlannedOrganization,
  devices: readonly TraccarDevice[],
): TraccarGeofence[] {
  const { links, geofences } = traccar
  const groups = groupsOf(traccar, planned.users, planned.groups)
  const wanted = linkedTo(links.userGeofence, new Set(planned.users))
    .union(linkedTo(links.groupGeofence, groups))
    .union(linkedTo(links.deviceGeofence, new Set(devices.map(({ id }) => id))))
  return geofences.filter(({ id }) => wanted.has(id))
}

/** The groups of users and these groups, with all groups within them. */
function groupsOf(
  { groups, links }: TraccarCatalogue,
  users: readonly number[],
  own: readonly number[],
): Set<number> {
  const found = linkedTo(links.userGroup, new Set(users)).union(new Set(own))
  for (let before = -1; before < found.size; ) {
    before = found.size
    for (const { id, parent } of groups) if (parent !== null && found.has(parent)) found.add(id)
  }
  return found
}

function linkedTo(
  links: readonly (readonly [number, number])[],
  owners: ReadonlySet<number>,
): Set<number> {
  return new Set(links.flatMap(([of, to]) => (owners.has(of) ? [to] : [])))
}

/** The plan as an operator edits it: JSON, with each list on one line. */
export function writePlan({ timeZone, organizations }: Plan): string {
  const written = organizations.map((each) => {
    const members = Object.entries(each).map(
      ([key, value]) => `      ${JSON.stringify(key)}: ${JSON.stringify(value)}`,
    )
    return `    {\n${members.join(',\n')}\n    }`
  })
  const zone = `  "time_zone": ${JSON.stringify(timeZone)}`
  return `{\n${zone},\n  "organizations": [\n${written.join(',\n')}\n  ]\n}\n`
}

/** Throws `BadPlan`. */
export function readPlan(text: string): Plan {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new BadPlan((error as Error).message)
  }
  const { time_zone: timeZone = 'UTC', organizations } = (value ?? {}) as Record<string, unknown>
  if (!TIME_ZONE_RULE.holds(timeZone)) {
    throw new BadPlan(`time_zone ${breach(TIME_ZONE_RULE, timeZone)}`)
  }
  if (!Array.isArray(organizations) || organizations.length === 0) {
    throw new BadPlan('organizations must be a list of at least one')
  }
  const read = organizations.map((each, index) => readOrganization(each, index + 1))
  const names = new Set<string>()
  for (const { name } of read) {
    if (names.has(name)) throw new BadPlan(`two organizations have the name '${name}'`)
    names.add(name)
  }
  return { timeZone: timeZone as string, organizations: read }
}

function readOrganization(value: unknown, number: number): PlannedOrganization {
  const given = (value ?? {}) as Record<string, unknown>
  const { name } = given
  if (!ORGANIZATION_RULES.name.holds(name)) {
    const fault = breach(ORGANIZATION_RULES.name, name)
    throw new BadPlan(`the name of organization ${number} ${fault}`)
  }
  const unknown = Object.keys(given).find((key) => key !== 'name' && !(key in MEMBERS))
  if (unknown !== undefined) throw new BadPlan(`'${name}' has an unknown member '${unknown}'`)
  const lists = Object.entries(MEMBERS).map(([key, type]) => {
    const list = given[key] ?? []
    if (!Array.isArray(list) || list.some((each) => typeof each !== type)) {
      throw new BadPlan(`${key} of '${name}' must be a list of ${type}s`)
    }
    return [key, list]
  })
  return { name, ...Object.fromEntries(lists) }
}

const MEMBERS = { users: 'number', groups: 'number', devices: 'string', without: 'string' }
