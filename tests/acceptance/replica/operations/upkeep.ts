import type { Json } from '../../harness/fleetgate.ts'
import { manage, send, type TrialFleet } from '../trial-fleet.ts'
import { drive } from './packets.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

export async function changeRetention(fleet: TrialFleet): Promise<void> {
  await retain(fleet, fleet.random.pick([null, 1, 2, 3, 30]))
}

async function retain(fleet: TrialFleet, days: number | null): Promise<void> {
  await manage(fleet, 'PATCH', '', { retention_days: days })
  fleet.model.retentionDays = days
}

/** No cursor of the other unit continues. */
export async function changeUnit(fleet: TrialFleet): Promise<void> {
  const { model } = fleet
  model.unit = model.unit === 'km' ? 'mi' : 'km'
  fleet.age = { ...fleet.age, unitChanges: fleet.age.unitChanges + 1 }
  await manage(fleet, 'PATCH', '', { distance_unit: model.unit })
}

const ENTRIES = [
  { name: 'fuel', type: 'number', sources: ['fuel'], decimals: 1 },
  { name: 'fuel_used', type: 'number', sources: ['totalFuel'], is_counter: true },
  { name: 'driver', type: 'text', sources: ['driver'] },
  { name: 'door', type: 'boolean', sources: ['door'] },
]

/** Makes the catalogue of attributes. */
export async function makeCatalogue(fleet: TrialFleet): Promise<void> {
  for (const entry of ENTRIES) await setAttribute(fleet, { ...entry, is_public: true })
}

type Edit = (fleet: TrialFleet) => Json

/** Other ways to show the values of numbers. */
const OF_NUMBERS: readonly Edit[] = [
  ({ random }) => ({ scale: random.pick([1, 2, 0.1]), offset: random.pick([0, 5]) }),
  ({ random }) => ({ minimum: random.pick([null, 20]), maximum: random.pick([null, 60, 500_000]) }),
  ({ random }) => ({ none: random.pick([null, [0, 50.5], [1, 2, 3, 4, 5]]) }),
]

/** Other ways to show the values of all types. */
const OF_ALL: readonly Edit[] = [
  ({ random }) => ({ is_public: random.chance(0.6) }),
  ({ random }) => ({ holds: random.pick([null, 1]), ends_with_ignition: random.chance(0.5) }),
  ({ random }) => ({ none: random.pick([null, ['Driver 0', 'Driver 1'], ['']]) }),
]

/**
 * Shows an attribute in another way, hides it, removes it, or adds it again. No cursor continues whose attributes are shown
 * in another way.
 */
export async function changeAttributes(fleet: TrialFleet): Promise<void> {
  const { random, model } = fleet
  fleet.age = { ...fleet.age, catalogueChanges: fleet.age.catalogueChanges + 1 }
  const entry = random.pick(ENTRIES)
  // An entry that was removed is made again.
  await setAttribute(fleet, { ...entry, is_public: true })
  if (random.chance(0.2)) {
    await manage(fleet, 'POST', '/attributes/remove', { names: [entry.name] })
    return
  }
  const [name] = entry.sources
  const object = random.pick([...model.objects.map(({ id }) => id), 999_999_999])
  const own = { name, scale: random.pick([1, 3]), objects: [object] }
  const ofOneObject = () => ({ sources: random.pick([[own], [own, name], [name]]) })
  const edits = entry.type === 'number' ? [...OF_NUMBERS, ...OF_ALL, ofOneObject] : OF_ALL
  await setAttribute(fleet, { ...entry, ...random.pick(edits)(fleet) })
}

async function setAttribute(fleet: TrialFleet, entry: Json): Promise<void> {
  await manage(fleet, 'PATCH', '/attributes', entry)
}

export async function changeQuota(fleet: TrialFleet): Promise<void> {
  await manage(fleet, 'PATCH', '', { daily_quota: fleet.random.pick([null, 1, 3, 10]) })
}

export async function changeSubscription(fleet: TrialFleet): Promise<void> {
  const subscription = fleet.random.pick(['active', 'active', 'suspended'])
  await manage(fleet, 'PATCH', '', { subscription })
}

/** Time passes, sometimes so much that the log loses its oldest changes. */
export async function letPass({ random, host }: TrialFleet): Promise<void> {
  host.letPass(random.pick([MINUTE_MS, 30 * MINUTE_MS, 6 * 60 * MINUTE_MS, DAY_MS]))
  if (random.chance(0.03)) host.letPass(31 * DAY_MS)
}

/** From then on, changes that were not read come as one. */
export async function letDaysPass({ host }: TrialFleet): Promise<void> {
  host.letPass(3 * DAY_MS)
}

/** Deletes positions of an object permanently, and sends some of them again. */
export async function erase(fleet: TrialFleet): Promise<void> {
  const { random, host, model } = fleet
  const driven = model.objects.filter(({ rows }) => rows.size > 0)
  if (driven.length === 0) return drive(fleet)
  const object = random.pick(driven)
  const times = [...object.rows.keys()]
  const [from, to] = [random.pick(times), random.pick(times)].sort((a, b) => a - b)
  const range = { from: new Date(from!).toISOString(), to: new Date(to!).toISOString() }
  await manage(fleet, 'POST', `/objects/${object.id}/delete-positions`, range)
  await host.fold(random.pick([0, 1, 2]))
  await send(fleet, [object.rows.get(random.pick([from!, to!]))!])
  await host.fold(random.pick([0, 1, 2]))
}

export async function derive({
  host,
  organization,
  hasRecords,
  random,
}: TrialFleet): Promise<void> {
  if (hasRecords) await host.derive(organization, random.whole(1, 3))
}

export async function purge(fleet: TrialFleet): Promise<void> {
  if (await fleet.host.purge()) fleet.mayBeTooOld = true
}

/** Records under way end, expire and are deleted, before a copy reads of it. */
export async function letExpire(fleet: TrialFleet): Promise<void> {
  await letDaysPass(fleet)
  for (let left = 3; left > 0; left -= 1) await drive(fleet)
  await fleet.host.derive(fleet.organization, Number.POSITIVE_INFINITY)
  await retain(fleet, 1)
  await purge(fleet)
}

export async function pack({ host, organization }: TrialFleet): Promise<void> {
  await host.pack(organization)
}

export async function restart({ host }: TrialFleet): Promise<void> {
  await host.restart()
}

export async function move({ host }: TrialFleet): Promise<void> {
  await host.move()
}

/** Makes a backup, or continues from the last one. */
export async function backUpOrRestore(fleet: TrialFleet): Promise<void> {
  const { host, model, backup } = fleet
  if (backup === undefined) {
    fleet.backup = { copy: await host.backUp(), model: structuredClone(model) }
    return
  }
  fleet.backup = undefined
  await host.restore(backup.copy)
  fleet.model = { ...backup.model, names: model.names }
  fleet.age = { ...fleet.age, epoch: fleet.age.epoch + 1 }
}
