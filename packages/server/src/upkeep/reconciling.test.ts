import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { keepReconciling, type SharedStates } from './reconciling.ts'
import type { Wait } from './wait.ts'

const fail = (error: unknown) => assert.fail(String(error))

type Counts = Map<number, number>

/** Runs one round over counts that `between` may change from look to look; tells what was dropped. */
async function round(
  shared: Counts,
  stored: Counts,
  { between = () => {}, isTurn = true }: { between?: () => void; isTurn?: boolean } = {},
): Promise<Counts> {
  const dropped: Counts = new Map()
  const among = (counts: Counts, of: readonly number[]) =>
    new Map([...counts].filter(([organization]) => of.includes(organization)))
  const states: SharedStates = {
    isTurn: async () => isTurn,
    shared: async (of) => among(shared, of),
    stored: async (of) => among(stored, of),
    outdate: (organization, sequence) => void dropped.set(organization, sequence),
  }
  const { promise: isOver, resolve } = Promise.withResolvers<void>()
  const wait: Wait = async (ms, signal) => {
    if (ms < 1_000) return between()
    resolve()
    await new Promise<void>((end) => signal.addEventListener('abort', () => end()))
  }
  const reconciling = keepReconciling(states, () => [1, 2, 3], fail, wait)
  await isOver
  await reconciling.stop()
  return dropped
}

describe('reconciling', () => {
  it('drops what is shared where a change never got there', async () => {
    const dropped = await round(
      new Map([
        [1, 4],
        [2, 7],
      ]),
      new Map([
        [1, 4],
        [2, 8],
        [3, 5],
      ]),
    )
    assert.deepEqual([...dropped], [[2, 8]])
  })

  it('leaves alone where the change was on its way', async () => {
    const shared = new Map([[1, 4]])
    const arrive = () => void shared.set(1, 5)
    assert.equal((await round(shared, new Map([[1, 5]]), { between: arrive })).size, 0)
  })

  it('finds a lost change among many that arrive', async () => {
    const [shared, stored] = [new Map([[1, 4]]), new Map([[1, 5]])]
    const both = () => {
      for (const counts of [shared, stored]) counts.set(1, counts.get(1)! + 100)
    }
    assert.deepEqual([...(await round(shared, stored, { between: both }))], [[1, 905]])
  })

  it('leaves it to another process', async () => {
    assert.equal((await round(new Map([[1, 4]]), new Map([[1, 5]]), { isTurn: false })).size, 0)
  })

  it('tells why nothing could be compared', async () => {
    const { promise: heard, resolve } = Promise.withResolvers<unknown>()
    const down = async () => {
      throw new Error('down')
    }
    const reconciling = keepReconciling(
      { isTurn: async () => true, shared: down, stored: down, outdate: () => {} },
      () => [1],
      resolve,
    )
    assert.match(String(await heard), /down/)
    await reconciling.stop()
  })
})
