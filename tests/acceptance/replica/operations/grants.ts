import type { Random } from '../../../../packages/server/testing/random.ts'
import type { Json } from '../../harness/fleetgate.ts'
import { manage, type TrialFleet } from '../trial-fleet.ts'

/** Makes a time around stored positions, in milliseconds. */
export type EndOf = () => number

const ATTRIBUTES = ['fuel', 'fuel_used', 'driver', 'door']

/** Grants of some objects: with gaps, overlapping, adjacent to each other, and with attributes of their own. */
export function anyGrants({ random, model }: TrialFleet, endOf: EndOf): Json[] {
  const hasOneList = random.chance(0.4)
  return Array.from({ length: random.whole(2, 4) }, () => {
    const from = endOf()
    return { from, until: from + random.whole(0, 90) * 60_000 }
  }).flatMap(({ from, until }) => {
    const objects = random.chance(0.7) ? [random.pick(model.objects).id] : null
    const first = { objects, from, until, attributes: hasOneList ? null : anyNames(random) }
    if (random.chance(0.6)) return [written(first)]
    // Adjacent, or a moment after the first one.
    const next = { ...first, from: until + random.pick([1, 2]), until: until + 1_800_000 }
    return [written(first), written({ ...next, attributes: hasOneList ? null : anyNames(random) })]
  })
}

function anyNames(random: Random): string[] | null {
  if (random.chance(0.3)) return null
  return ATTRIBUTES.filter(() => random.chance(0.5)).concat('fuel')
}

function written({ from, until, ...grant }: Json): Json {
  return { ...grant, from: instant(from), until: instant(until) }
}

function instant(time: number): string {
  return new Date(time).toISOString()
}

/** Changes the grants of a key, so that its cursors expire. */
export async function editGrants(fleet: TrialFleet): Promise<void> {
  const { random, granted } = fleet
  if (granted.length === 0) return
  const { key, scope } = random.pick(granted)
  const grants: Json[] = scope.grants
  if (grants.length > 2 && random.chance(0.5)) grants.splice(random.whole(0, grants.length - 1), 1)
  else grants.push({ ...random.pick(grants), attributes: anyNames(random) })
  await dropRemoved(fleet, grants)
  fleet.age = { ...fleet.age, scopeChanges: fleet.age.scopeChanges + 1 }
  await manage(fleet, 'PATCH', `/keys/${key}`, { scope })
}

/** Drops the attributes that the catalogue has no longer, which an edit of grants must not name. */
async function dropRemoved(fleet: TrialFleet, grants: Json[]): Promise<void> {
  const { items } = await manage(fleet, 'GET', '/attributes')
  const known = new Set(items.map(({ name }: Json) => name))
  const isKnown = (name: string) => known.has(name)
  for (const grant of grants) grant.attributes &&= grant.attributes.filter(isKnown)
}
