import { setImmediate as turn } from 'node:timers/promises'
import {
  API_KEY,
  FEED_TOKEN,
  newSecret,
} from '../../../../packages/server/src/base/access/secret.ts'
import { OBJECT_DEFAULTS } from '../../../../packages/server/src/base/domain/monitored-object.ts'
import { openSqliteStore } from '../../../../packages/server/src/data/sqlite/open.ts'
import type { KeyStore } from '../../../../packages/server/src/engine/store/key-store.ts'
import { type Store, StoreUnavailable } from '../../../../packages/server/src/engine/store/store.ts'
import { newObject } from '../model/object.ts'
import type { ModelKey, ModelOrganization } from '../model/organization.ts'
import type { World } from '../world.ts'

/** An operator's command, through the server's own store or a separate process. */
export async function administer(world: World): Promise<void> {
  const { random, deployment, disk } = world
  const organization = random.pick(world.organizations)
  const command = random.pick(COMMANDS)
  if (random.chance(0.75)) {
    await attempt(world, () => command(world, deployment.store, organization))
    return
  }
  const store = await openSqliteStore(deployment.folder)
  await attempt(world, () => command(world, store, organization))
  // The end of a command empties the log if no reader uses it.
  await store.close()
  disk.lookForEmptyLog()
}

/** If nothing can be written, the command changes nothing and says so. */
async function attempt(world: World, command: () => Promise<void>): Promise<void> {
  try {
    await command()
  } catch (error) {
    if (!(error instanceof StoreUnavailable) || world.countersUp) world.fault(`a command: ${error}`)
  }
  await passOn()
}

/** A command is a process: no request arrives in the same turn of the event loop in which one ends. */
export async function passOn(): Promise<void> {
  await turn()
  await turn()
}

type Command = (world: World, store: Store, organization: ModelOrganization) => Promise<void>

async function revokeKey({ random, clock }: World, store: Store, own: ModelOrganization) {
  const isKey = random.chance(0.7)
  const keys = isKey ? own.keys : own.feedTokens
  // One key remains, so that reads still work.
  if (keys.length < 2) return
  const key = keys[random.whole(1, keys.length - 1)]!
  await (isKey ? store.keys : store.feedTokens).revoke(own.id, key.id, clock.now())
  key.isRevoked = true
}

async function issueKey(world: World, store: Store, own: ModelOrganization) {
  const isKey = world.random.chance(0.7)
  const keys = isKey ? store.keys : store.feedTokens
  const issued = await issue(world, keys, isKey, own.id)
  if (isKey) own.keys.push(issued)
  else own.feedTokens.push(issued)
}

/** Sometimes one that expires soon. */
export async function issue(
  { random, clock }: World,
  keys: KeyStore,
  isKey: boolean,
  organization: number,
  isLasting = false,
): Promise<ModelKey> {
  const now = clock.now()
  const expiresAt = !isLasting && random.chance(0.4) ? now + random.whole(1, 30_000) : null
  const { secret, hash, prefix, lastFour } = newSecret(isKey ? API_KEY : FEED_TOKEN)
  const entry = { name: 'simulated', hash, prefix, lastFour, expiresAt }
  const { id } = await keys.issue(organization, entry, now)
  return { id, secret, expiresAt, isRevoked: false }
}

async function update(
  { clock }: World,
  store: Store,
  own: ModelOrganization,
  patch: Partial<Pick<ModelOrganization, 'dailyQuota' | 'subscription' | 'retentionDays'>> & {
    distanceUnit?: 'km' | 'mi'
  },
) {
  const updated = await store.organizations.update(own.id, patch, clock.now())
  const { distanceUnit: unit, ...rest } = patch
  Object.assign(own, rest, { updatedAt: updated!.updatedAt })
  if (unit !== undefined) own.unit = unit
}

const changeQuota: Command = (world, store, own) =>
  update(world, store, own, { dailyQuota: world.random.pick([null, 0, 1, 3, 6, 20]) })

const changeSubscription: Command = (world, store, own) =>
  update(world, store, own, {
    subscription: world.random.pick(['active', 'active', 'active', 'inactive', 'suspended']),
  })

const changeUnit: Command = (world, store, own) =>
  update(world, store, own, { distanceUnit: world.random.pick(['km', 'mi']) })

/** Only if retention is limited at all; see `rowsOf`. */
const changeRetention: Command = async (world, store, own) => {
  if (own.retentionDays === null) return
  await update(world, store, own, { retentionDays: world.random.whole(1, 40) })
}

export async function addObject(world: World, store: Store, own: ModelOrganization) {
  const { random, clock } = world
  if (own.objects.length > 4) return
  // From a range so large that none repeats.
  const settings = newObject(`tracker ${own.id} ${random.whole(1, 1e12)}`)
  Object.assign(settings, {
    minimumDifferencePoint: own.retentionDays === null ? random.pick([0, 0, 0, 30, 400]) : 0,
    odometerType: random.pick(['system', 'system', 'sensor']),
    odometer: random.pick([null, 12.5, 99_999.99]),
    engineHours: random.pick([null, 1_234.567]),
    address: random.pick([null, 'Depot']),
  })
  const { minimumDifferencePoint, odometerType, odometer, engineHours, address } = settings
  const entry = {
    ...OBJECT_DEFAULTS,
    name: settings.name,
    ident: settings.ident,
    accuracy: { ...OBJECT_DEFAULTS.accuracy, minimumDifferencePoint },
    odometerType,
    odometer,
    engineHours,
    address,
  }
  const [put] = await store.objects.put(own.id, [entry], clock.now())
  if (put?.outcome !== 'created') throw new Error(`an object was not made: ${put?.outcome}`)
  own.objects.push({ ...settings, id: put.id })
}

async function deleteObject({ random }: World, store: Store, own: ModelOrganization) {
  const object = own.objects.length > 1 ? random.pick(own.objects) : undefined
  if (object === undefined || object.id === 0) return
  if (!(await store.objects.delete(own.id, object.id)))
    throw new Error('there was nothing to delete')
  own.objects.splice(own.objects.indexOf(object), 1)
}

const COMMANDS: readonly Command[] = [
  revokeKey,
  issueKey,
  issueKey,
  changeQuota,
  changeSubscription,
  changeUnit,
  changeRetention,
  addObject,
  deleteObject,
]
