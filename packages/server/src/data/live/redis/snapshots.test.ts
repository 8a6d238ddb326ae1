import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import fc from 'fast-check'
import type { Redis } from 'ioredis'
import { type RedisServer, startRedis } from '../../../../testing/servers/redis.ts'
import { type ObjectState, UNSEEN } from '../../../base/domain/position/object-state.ts'
import { systemClock } from '../../../base/domain/time/time.ts'
import { parseRedisUrl } from '../redis-url.ts'
import { keysOf } from './redis-keys.ts'
import { Servers } from './servers.ts'
import { type RedisSnapshots, redisSnapshots } from './snapshots.ts'

const OBJECTS = [1, 2, 3]
const RUNS = 300
const keys = keysOf(randomBytes(32))

/** The next step of a process: pending messages arrive in any order, late, or never. */
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
  let timesDown = 0
  before(async () => {
    redis = await startRedis()
    client = redis.client()
    const down = () => {
      timesDown += 1
    }
    const events = { up() {}, down, log() {} }
    servers = new Servers(parseRedisUrl(redis.patientUrl)!, systemClock, events)
    await servers.whenUp()
    snapshots = redisSnapshots(servers, keys, assert.fail)
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
  const changeCount = async () => (await snapshots.changes([organization])).get(organization)

  /** The stored states, and the messages on their way to Redis. */
  function trial() {
    const stored = new Map(OBJECTS.map((object) => [object, 0]))
    const underWay: { isChange: boolean; arrive: () => void | Promise<void> }[] = []
    const versions = new Map<string, string>()
    let count = 0
    let isLost = false

    function commit(objects: number[], isTold: boolean): void {
      count += 1
      const sequence = count
      for (const object of objects) stored.set(object, sequence)
      const arrive = () =>
        isTold ? keep(sequence, objects) : snapshots.outdate(organization, sequence)
      underWay.push({ isChange: true, arrive })
    }

    async function readAndFill(): Promise<void> {
      const { kept, version } = await read(OBJECTS)
      const isMissing = (object: number) => kept[OBJECTS.indexOf(object)] === undefined
      const states = statesOf(new Map([...stored].filter(([object]) => isMissing(object))))
      const arrive = () => snapshots.fill(organization, states, version)
      underWay.push({ isChange: false, arrive })
    }

    async function take(step: Step): Promise<void> {
      if (step.do === 'commit') commit(step.objects, step.isTold)
      else if (step.do === 'read') await readAndFill()
      else if (step.do === 'flush') await client.del(keys.states(organization))
      else if (step.do === 'reconcile') await snapshots.outdate(organization, count)
      else {
        const [one] = underWay.splice(step.which % (underWay.length || 1), 1)
        if (step.do === 'arrive') await one?.arrive()
        else if (one?.isChange) isLost = true
      }
      // A message that arrives after a loss may be older than the loss.
      if (step.do === 'flush') isLost = underWay.some(({ isChange }) => isChange)
      if (step.do === 'reconcile') isLost = false
    }

    return async (step: Step) => {
      await take(step)
      const changes = await changeCount()
      assert.ok((changes ?? 0) <= count, `${changes} of ${count} changes are said to be there`)
      const isWhole = !isLost && !underWay.some(({ isChange }) => isChange)
      if (!isWhole && changes !== count) return
      const { kept, version } = await read(OBJECTS)
      for (const [i, state] of kept.entries()) {
        if (state !== undefined) assert.equal(state.timeServer, stored.get(OBJECTS[i]!))
      }
      const content = [...stored.values()].join()
      assert.equal(versions.get(version!) ?? content, content, 'one version for two contents')
      versions.set(version!, content)
    }
  }

  it('are right if all changes have arrived, in any order', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { maxLength: 40 }), async (steps) => {
        organization += 1
        const take = trial()
        while ((await snapshots.read(organization, [])) === null) await pause(10)
        await client.del(keys.states(organization))
        const downs = timesDown
        try {
          for (const step of steps) await take(step)
        } catch (error) {
          // On a busy machine with a stalled server, the result says nothing.
          if (timesDown === downs) throw error
        }
      }),
      { numRuns: RUNS },
    )
  })

  it("accept a read from before another's change, except for the changed states", async () => {
    organization += 1
    const { version } = await read([1, 2])
    await keep(1, [2])
    await snapshots.fill(
      organization,
      statesOf(
        new Map([
          [1, 0],
          [2, 0],
        ]),
      ),
      version,
    )
    assert.deepEqual((await read([1, 2])).kept, [stateOf(0), stateOf(1)])
  })

  it('reject a read from before their reset', async () => {
    organization += 1
    await keep(1, [2])
    const { version } = await read([1])
    await snapshots.outdate(organization, 2)
    await snapshots.fill(organization, new Map([[1, stateOf(0)]]), version)
    assert.deepEqual((await read([1, 2])).kept, [undefined, undefined])
  })

  it('reject a read from an earlier run of the server', async () => {
    organization += 1
    const { version } = await read([1])
    const other = version!.replace(/^\w+/, 'another')
    await snapshots.fill(organization, new Map([[1, stateOf(1)]]), other)
    assert.deepEqual((await read([1])).kept, [undefined])
    await snapshots.fill(organization, new Map([[1, stateOf(1)]]), version)
    assert.deepEqual((await read([1])).kept, [stateOf(1)])
  })

  it('store, fill and read more than one slice of states', async () => {
    organization += 1
    const objects = Array.from({ length: 4_500 }, (_, i) => 10_000 + i)
    await keep(1, objects.slice(0, 2_300))
    const { kept, version } = await read(objects)
    assert.equal(kept.filter((state) => state?.timeServer === 1).length, 2_300)
    assert.equal(await changeCount(), 1)
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

  it('report a failure other than an outage once, reject nothing, and continue', async () => {
    organization += 1
    const changeCount: string[] = []
    const own = redisSnapshots(servers, keys, (line) => changeCount.push(line))
    await client.set(keys.states(organization), 'of somebody else')
    const states = new Map([[1, stateOf(1)]])
    assert.equal(await own.read(organization, [1]), null)
    await own.keep(organization, { sequence: 1, previous: 0, states })
    await own.outdate(organization, 2)
    await own.fill(organization, states, null)
    await own.catchUp()
    assert.equal(changeCount.length, 1, changeCount.join())
    assert.match(
      changeCount[0]!,
      /^Redis cannot keep what is current: Another program has written to .*:states/,
    )
    await client.del(keys.states(organization))
    await own.catchUp()
    const { kept } = (await own.read(organization, [1]))!
    assert.deepEqual(kept, [undefined])
    own.close()
  })

  it('receive no changes of organizations without a snapshot', async () => {
    assert.deepEqual(await snapshots.changes([999_999]), new Map())
  })
})
