import type { Failure } from '../disk.ts'
import type { World } from '../world.ts'
import { administer } from './administration.ts'
import { repeat, type Sent, sendUnheard } from './packets.ts'
import { read } from './reads.ts'

/** The process or the power ends at once during requests; senders repeat them afterwards. */
export async function kill(world: World): Promise<void> {
  const { random, disk } = world
  const power = random.chance(0.5)
  disk.syncTurns = random.whole(0, 4)
  const underWay = sendUnheard(world, random.whole(0, 3))
  for (let turns = random.whole(0, 9); turns > 0; turns -= 1) await new Promise(setImmediate)
  const sent = underWay.heard()
  await world.revive(power)
  world.counts[power ? 'powerCuts' : 'kills'] += 1
  await repeat(world, sent)
}

const FAILURES: readonly Failure[] = ['full', 'read-only', 'sync']

/** The disk fails for a while: nothing is acknowledged that it did not store, and everything works afterwards. */
export async function outage(world: World): Promise<void> {
  const { random, disk } = world
  const failure = random.pick(FAILURES)
  world.counts.outages += 1
  disk.fail(failure)
  world.countersUp = failure === 'sync'
  const sent: Sent[] = []
  const touched = new Set<number>()
  for (let times = random.whole(1, 3); times > 0; times -= 1) {
    const underWay = sendUnheard(world, random.whole(1, 2))
    await world.deployment.feed.settled()
    await new Promise(setImmediate)
    sent.push(...underWay.heard())
  }
  for (const { organization } of sent) touched.add(organization.id)
  const others = world.organizations.filter(({ id }) => !touched.has(id))
  if (others.length > 0) await read({ ...world, organizations: others })
  if (failure === 'read-only' && random.chance(0.5)) await administer(world)
  disk.fail(null)
  world.countersUp = true
  for (const failed of world.deployment.failures()) {
    if (!/^(StoreUnavailable|QuotaUnavailable)/.test(failed))
      world.fault(`an outage became ${failed}`)
  }
  await repeat(world, sent)
}
