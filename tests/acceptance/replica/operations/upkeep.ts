import type { Json } from '../../harness/fleetgate.ts'
import { manage, type TrialFleet } from '../trial-fleet.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

export async function changeRetention(fleet: TrialFleet): Promise<void> {
  const days = fleet.random.pick([null, 1, 2, 3, 30])
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

/** Shows an attribute in another way. No cursor with attributes continues. */
export async function changeAttributes(fleet: TrialFleet): Promise<void> {
  const { random } = fleet
  fleet.age = { ...fleet.age, catalogueChanges: fleet.age.catalogueChanges + 1 }
  await setAttribute(fleet, { name: 'fuel', scale: random.pick([1, 2, 0.1]) })
  await setAttribute(fleet, { name: 'driver', is_public: random.chance(0.7) })
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
