import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'
import type { Redis } from 'ioredis'
import { systemClock } from '../../domain/clock.ts'
import { type ObjectState, UNSEEN } from '../../domain/object-state.ts'
import { type RedisServer, startRedis } from '../../trial/servers/redis.ts'
import { keysOf } from './keys.ts'
import { parseRedisUrl } from './redis-url.ts'
import { openServers, type Servers } from './servers.ts'
import { type RedisSnapshots, redisSnapshots } from './snapshots.ts'

const OBJECTS = [1, 2, 3]
const keys = keysOf(randomBytes(32))

/** What a process can do next: whatever is on its way arrives in any order, late, or never. */
type Step =
  | { do: 'commit'; objects: number[]; isTold: boolean }
  | { do: 'read' }
  | { do: 'arrive' | 'lose'; which: number }
  | { do: 'flush' }
  | { do: 'reconcile' }

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('commit' as const),
      objects: fc.subarray(OBJECTS),
      isTold: fc.constantFrom(true, true, true, false),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('read' as const) }) },
  {
    weight: 9,
    arbitrary: fc.record({ do: fc.constant('arrive' as const), which: fc.nat(9) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('lose' as const), which: fc.nat(9) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('flush' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reconcile' as const) }) },
)

describe('The snapshots in Redis', () => {
  let redis: RedisServer
  let client: Redis
  let servers: Servers
  let snapshots: RedisSnapshots
  let organization = 0
  before(async () => {
    redis = await startRedis()
    client = redis.client()
    const events = { up() {}, down() {}, tell() {} }
    servers = openServers(parseRedisUrl(redis.url)!, systemClock, events)
    await servers.whenUp()
    snapshots = redisSnapshots(servers, keys)
  })
  after(async () => {
    servers.close()
    await redis.stop()
  })

  const stateOf = (sequence: number): ObjectState => ({ ...UNSEEN, timeServer: sequence })
  const statesOf = (sequences: Map<number, number>) =>
    new Map(Array.from(sequences, ([object, sequence]) => [object, stateOf(sequence)]))
  const keep = (sequence: number, objects: number[]) => {
    const states = new Map(objects.map((object) => [object, stateOf(sequence)]))
    return snapshots.keep(organization, { sequence, previous: sequence - 1, states })
  }
  const read = async (objects: number[]) => (await snapshots.read(organization, objects))!
  const told = async () => (await snapshots.changes([organization])).get(organization)

  it('are right where all changes are in them, in whatever order these came', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { maxLength: 40 }), async (steps) => {
        organization += 1
        let count = 0
        const stored = new Map(OBJECTS.map((object) => [object, 0]))
        const underWay: (() => void | Promise<void>)[] = []
        const versions = new Map<string, string>()
        for (const step of steps) {
          if (step.do === 'commit') {
            count += 1
            const sequence = count
            for (const object of step.objects) stored.set(object, sequence)
            underWay.push(() =>
              step.isTold
                ? keep(sequence, step.objects)
                : snapshots.outdate(organization, sequence),
            )
          } else if (step.do === 'read') {
            const { kept, version } = await read(OBJECTS)
            const missing = new Map(
              [...stored].filter(([object]) => {
                return kept[OBJECTS.indexOf(object)] === undefined
              }),
            )
            const states = statesOf(missing)
            underWay.push(() => snapshots.fill(organization, states, version))
          } else if (step.do === 'arrive') {
            await underWay.splice(step.which % (underWay.length || 1), 1)[0]?.()
          } else if (step.do === 'lose') {
            underWay.splice(step.which % (underWay.length || 1), 1)
          } else if (step.do === 'flush') {
            await client.del(keys.states(organization))
          } else if ((await told()) !== undefined) {
            await snapshots.outdate(organization, count)
          }
          await check(count, stored, versions)
        }
      }),
      { numRuns: 300 },
    )
  })

  async function check(count: number, stored: Map<number, number>, versions: Map<string, string>) {
    const changes = await told()
    if (changes === undefined) return
    assert.ok(changes <= count, `${changes} of ${count} changes are said to be there`)
    if (changes < count) return
    const { kept, version } = await read(OBJECTS)
    for (const [i, state] of kept.entries()) {
      if (state !== undefined) assert.equal(state.timeServer, stored.get(OBJECTS[i]!))
    }
    const content = [...stored.values()].join()
    assert.equal(versions.get(version!) ?? content, content, 'one version for two contents')
    versions.set(version!, content)
  }

  it('refuse what was read from the store before a change', async () => {
    organization += 1
    const { version } = await read([1])
    await keep(1, [2])
    await snapshots.fill(organization, new Map([[1, stateOf(0)]]), version)
    assert.deepEqual((await read([1, 2])).kept, [undefined, stateOf(1)])
  })

  it('refuse what was read in another run of the server', async () => {
    organization += 1
    const { version } = await read([1])
    const other = version!.replace(/^\w+/, 'another')
    await snapshots.fill(organization, new Map([[1, stateOf(1)]]), other)
    assert.deepEqual((await read([1])).kept, [undefined])
    await snapshots.fill(organization, new Map([[1, stateOf(1)]]), version)
    assert.deepEqual((await read([1])).kept, [stateOf(1)])
  })

  it('keep, fill and read more than one slice of states', async () => {
    organization += 1
    const objects = Array.from({ length: 4_500 }, (_, i) => 10_000 + i)
    await keep(1, objects.slice(0, 2_300))
    const { kept, version } = await read(objects)
    assert.equal(kept.filter((state) => state?.timeServer === 1).length, 2_300)
    assert.equal(await told(), 1)
    const missing = objects
      .slice(2_300)
      .map((object): [number, ObjectState] => [object, stateOf(0)])
    await snapshots.fill(organization, new Map(missing), version)
    const all = (await read(objects)).kept.map((state) => state?.timeServer)
    assert.deepEqual(
      all,
      objects.map((_, i) => (i < 2_300 ? 1 : 0)),
    )
  })

  it('tell of no changes of whom nothing is kept', async () => {
    assert.deepEqual(await snapshots.changes([999_999]), new Map())
  })
})
