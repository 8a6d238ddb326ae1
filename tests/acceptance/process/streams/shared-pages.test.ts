import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { startFleetProcess } from '../../harness/fleet.ts'
import { residentMiB, withoutProc } from '../../harness/watched-process.ts'
import { openWorld, VIEWS, type World } from './stream-world.ts'

/*
 * Streams of two organizations share pages over real sockets, while clients stop reading, leave in the middle of a page,
 * lose their key and run out of quota.
 */

const RUNS = 3
/** The same runs each time. */
const SEED = 61
const OBJECTS = 3
/** In units. What the streams of an organization show exceeds it some time after the middle. */
const QUOTA = 250
/** After the first run, which fills the heap. The large pages of the others have some 200 MiB. */
const MAX_GROWN_MIB = 100

type Step =
  | { is: 'commit'; world: number; object: number; rows: number }
  | { is: 'hold' | 'read' | 'leave'; world: number; stream: number }

const world = fc.constantFrom(0, 1)
const stream = fc.nat(VIEWS.length - 1)
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      is: fc.constant('commit' as const),
      ...{ world, object: fc.nat(OBJECTS - 1), rows: fc.integer({ min: 1, max: 120 }) },
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ is: fc.constantFrom('hold' as const, 'read' as const), world, stream }),
  },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('leave' as const), world, stream }) },
)
const anySteps = fc.array(anyStep, { minLength: 12, maxLength: 20 })

const fleet = await startFleetProcess({ full: 0, plain: 2 * RUNS })

describe('Streams that share pages over sockets', { skip: withoutProc, timeout: 240_000 }, () => {
  it('get what their view has, in order, whatever the clients of others do', async (t) => {
    const runs = fc.sample(fc.tuple(anySteps, anySteps), { numRuns: RUNS, seed: SEED })
    let events = 0
    const peaks: number[] = []
    for (const [first, second] of runs) {
      const worlds = [await openWorld(fleet, 'km', null), await openWorld(fleet, 'mi', QUOTA)]
      for (const step of first) await take(worlds, step)
      // A client of each view takes nothing of a page that no system takes for it.
      for (const each of worlds) each.holdSome()
      for (const each of worlds) await each.commitLarge(1)
      for (const each of worlds) await each.revoke()
      for (const step of second) await take(worlds, step)
      for (const count of await Promise.all(worlds.map((each) => each.check()))) events += count
      peaks.push(Math.round(residentMiB(fleet.server.pid, 'peak')))
    }
    t.diagnostic(`${events} events; the server has taken ${peaks.join(', ')} MiB`)
    assert.ok(peaks.at(-1)! - peaks[0]! <= MAX_GROWN_MIB, `${peaks}`)
  })
})

async function take(worlds: readonly World[], step: Step): Promise<void> {
  const world = worlds[step.world]!
  if (step.is === 'commit') await world.commit(step.object, step.rows)
  else world.streams[step.stream]![step.is]()
}
