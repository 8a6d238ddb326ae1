import { DAY_MS } from '../../../packages/server/src/base/domain/time/time.ts'
import { type Random, seeded } from '../../../packages/server/testing/random.ts'
import type { Json } from '../harness/fleetgate.ts'
import type { Query, Way } from './client-copy.ts'
import { assertEqual, assertSameCounters } from './compare.ts'
import { type Follower, newFollower } from './follower.ts'
import * as catalogue from './operations/catalogue.ts'
import { anyGrants } from './operations/grants.ts'
import * as packets from './operations/packets.ts'
import * as upkeep from './operations/upkeep.ts'
import {
  describeFleet,
  manage,
  newTrialFleet,
  scopedFleet,
  type TrialFleet,
} from './trial-fleet.ts'
import type { TrialHost } from './trial-host.ts'

type Operation = (fleet: TrialFleet) => Promise<void>

/** The relative frequency of each operation. */
const OPERATIONS: readonly [Operation, number][] = [
  [packets.drive, 14],
  [packets.driveFar, 2],
  [packets.sendLate, 8],
  [packets.sendConflict, 5],
  [packets.sendAgain, 1],
  [packets.sendRefused, 1],
  [packets.jump, 2],
  [packets.importPositions, 3],
  [upkeep.erase, 3],
  [catalogue.changeSettings, 6],
  [catalogue.foldOn, 3],
  [catalogue.rename, 2],
  [catalogue.changeObjects, 3],
  [catalogue.importObjects, 2],
  [catalogue.changePlaces, 4],
  [upkeep.changeRetention, 4],
  [upkeep.changeUnit, 0.4],
  [upkeep.changeAttributes, 0.6],
  [upkeep.changeQuota, 0.7],
  [upkeep.changeSubscription, 0.7],
  [upkeep.letPass, 3],
  [upkeep.purge, 1],
  [upkeep.pack, 4],
  [upkeep.derive, 5],
]
/** Operations that stop a server: too slow to happen at random if it is many processes. */
const STOPS: readonly [Operation, number][] = [
  [upkeep.restart, 0.5],
  [upkeep.move, 0.15],
  [upkeep.backUpOrRestore, 0.5],
]
const TYPES = ['positions', 'states', 'objects', 'geofences', 'routes', 'sites']
const RECORD_TYPES = ['trips', 'stops', 'visits', 'levels']
const WAYS: readonly (readonly Way[])[] = [
  ['poll'],
  ['wait'],
  ['stream'],
  ['poll', 'wait', 'stream'],
]

export type TrialOptions = {
  /** The ways of all clients. */
  ways?: readonly Way[]
  /** Operations that happen in any case, spread over the trial. */
  planned?: readonly Operation[]
  /** Whether no other operation may stop the server. */
  isSlow?: boolean
  /** Whether the organization has trips, stops and visits. Default: in every second trial. */
  hasRecords?: boolean
  /** Whether all clients have keys with a range of time, whose ends are around stored positions. */
  isRanged?: boolean
  /** Whether these keys have several grants. */
  hasGrants?: boolean
}

/** The part of the fleet that a client sees, and how it reads it. */
type Client = { fleet: TrialFleet; follower: Follower; about: string }

/** Lets random things happen to an organization. Its replicas must then be equal to it. */
export async function runTrial(
  seed: number,
  host: TrialHost,
  {
    ways,
    planned = [],
    isSlow = false,
    isRanged = false,
    hasGrants = false,
    ...options
  }: TrialOptions = {},
): Promise<void> {
  const random = seeded('replica', seed)
  const hasRecords = isRanged || (options.hasRecords ?? seed % 2 === 0)
  const fleet = await newTrialFleet(random, host, hasRecords)
  await upkeep.makeCatalogue(fleet)
  const clients = isRanged
    ? await rangedClients(fleet, hasGrants)
    : await newClients(fleet, seed % 2 === 1, ways)
  const followers = clients.map(({ follower }) => follower)
  const operations = isSlow ? OPERATIONS : [...OPERATIONS, ...STOPS]
  const many = random.whole(8, 24)
  try {
    for (let at = 0; at < many; at += 1) {
      const isDue =
        Math.floor((at * planned.length) / many) < Math.floor(((at + 1) * planned.length) / many)
      const next = isDue
        ? planned[Math.floor((at * planned.length) / many)]!
        : pick(random, operations)
      await random.pick(followers).follow(() => happen(fleet, next))
      if (isRanged && random.chance(0.3)) await random.pick(followers).catchUp()
    }
    await openAll(fleet)
    for (const client of clients) await settle(client, () => assertEqual(client))
    const [first] = clients
    await settle(first!, async () => {
      const fresh = newFollower(first!.fleet, { ...first!.follower.query, ways: ['poll'] })
      await fresh.catchUp()
      assertSameCounters(first!.follower, fresh)
    })
  } catch (error) {
    const readers = clients.map(({ about }) => about).join(' and ')
    throw new Error(`seed ${seed}, ${describeFleet(fleet)}, read by ${readers}`, { cause: error })
  } finally {
    for (const follower of followers) follower.close()
  }
  const [failure] = host.failures()
  if (failure !== undefined) throw new Error(`seed ${seed}: the server logged ${failure}`)
}

/**
 * One client reads everything, one has any query, and in every third trial one has a key with a scope. In every second
 * trial the first one reads attributes, and in the others those after it.
 */
async function newClients(
  fleet: TrialFleet,
  hasAttributes: boolean,
  ways?: readonly Way[],
): Promise<Client[]> {
  const { random } = fleet
  const client = (seen: TrialFleet, query: Omit<Query, 'hasAttributes'>, about = ''): Client => {
    const isFirst = seen === fleet && query.types === null && query.ids === null
    const chosen = { ...query, hasAttributes: isFirst === hasAttributes, ...(ways && { ways }) }
    return {
      fleet: seen,
      follower: newFollower(seen, chosen),
      about: JSON.stringify(chosen) + about,
    }
  }
  const clients = [client(fleet, fullQuery(random)), client(fleet, anyQuery(fleet))]
  if (random.chance(1 / 3)) {
    const scope = anyScope(fleet)
    const about = ` with ${JSON.stringify(scope)}`
    clients.push(client(await scopedFleet(fleet, scope), fullQuery(random), about))
  }
  return clients
}

/** Clients with ranges of time around positions that are stored when they begin, in every way of reading. */
async function rangedClients(fleet: TrialFleet, hasGrants: boolean): Promise<Client[]> {
  const { random, model } = fleet
  for (const operation of [packets.driveFar, packets.driveFar, packets.drive, upkeep.derive]) {
    await happen(fleet, operation)
  }
  const all = model.objects.map(({ rows }) => [...rows.keys()]).filter((times) => times.length > 0)
  const end = () => {
    const times = random.pick(all)
    const time = random.pick([Math.min(...times), Math.max(...times), random.pick(times)])
    return time + random.whole(-1, 1) * random.pick([1, 60, 1_800]) * 1_000
  }
  const clients: Client[] = []
  for (let left = 3; left > 0; left -= 1) {
    const [from, until] = [end(), end()].sort((a, b) => a - b)
    const open = random.pick(['none', 'none', 'from', 'until'])
    const range = {
      objects: random.chance(0.3) ? [random.pick(model.objects).id] : null,
      data_from: open === 'from' ? null : new Date(from!).toISOString(),
      data_until: open === 'until' ? null : new Date(until!).toISOString(),
    }
    const scope = hasGrants ? { grants: anyGrants(fleet, end) } : range
    const query = { ...fullQuery(random), hasAttributes: random.chance(0.5) }
    const seen = await scopedFleet(fleet, scope)
    const about = `${JSON.stringify(query)} with ${JSON.stringify(scope)}`
    clients.push({ fleet: seen, follower: newFollower(seen, query), about })
  }
  return clients
}

/**
 * Objects that are made later are not among those of a scope. Positions of trials are around the time of the clock.
 */
function anyScope({ random, model, host }: TrialFleet): Json {
  const moment = (days: number) => new Date(host.now() + days * DAY_MS).toISOString()
  return {
    objects: random.chance(0.7) ? [random.pick(model.objects).id] : null,
    data_from: random.chance(0.4) ? moment(-random.between(0, 3)) : null,
    data_until: random.chance(0.4) ? moment(random.between(0, 3)) : null,
  }
}

async function happen(fleet: TrialFleet, operation: Operation): Promise<void> {
  fleet.done.push(operation.name)
  await operation(fleet)
}

function pick(random: Random, operations: readonly [Operation, number][]): Operation {
  let left = random.between(
    0,
    operations.reduce((sum, [, weight]) => sum + weight, 0),
  )
  for (const [operation, weight] of operations) {
    left -= weight
    if (left < 0) return operation
  }
  return operations[0]![0]
}

/** Reads everything, and compares. Background work may change something between the two. */
async function settle({ follower }: Client, compare: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    await follower.catchUp()
    if (follower.copy.isOver) return
    try {
      await compare()
      return
    } catch (error) {
      if (attempt === 5 || !(await follower.hasNews())) throw error
    }
  }
}

/** Nothing refuses a reader from here on. */
async function openAll(fleet: TrialFleet): Promise<void> {
  await manage(fleet, 'PATCH', '', { daily_quota: null, subscription: 'active' })
  await fleet.host.fold(fleet.random.chance(0.5) ? Number.POSITIVE_INFINITY : 0)
  if (fleet.hasRecords) await fleet.host.derive(fleet.organization, Number.POSITIVE_INFINITY)
}

function fullQuery(random: Random): Omit<Query, 'hasAttributes'> {
  return { from: 'history', isExact: true, types: null, ids: null, ways: random.pick(WAYS) }
}

function anyQuery({ random, model, hasRecords }: TrialFleet): Omit<Query, 'hasAttributes'> {
  const types = hasRecords ? [...TYPES, ...RECORD_TYPES] : TYPES
  return {
    from: random.pick(['history', 'history', 'snapshot', 'now']),
    isExact: random.chance(0.5),
    types: random.chance(0.5) ? null : types.filter(() => random.chance(0.6)),
    ids: random.chance(0.6) ? null : [random.pick(model.objects).id, 999_999_999],
    ways: random.pick(WAYS),
  }
}
