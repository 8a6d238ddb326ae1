import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Wait } from '../../engine/repeat.ts'
import { type SharedStates, startReconciling } from './reconciling.ts'

const fail = (error: unknown) => assert.fail(String(error))

type Counts = Map<number, number>

/** The stored and shared states of organizations 1 to 3, and the requested and dropped ones. */
function trial(shared: Counts, stored: Counts) {
  const dropped: Counts = new Map()
  const asked: number[][] = []
  let losses = 0
  const among = (counts: Counts, of: readonly number[]) =>
    new Map([...counts].filter(([organization]) => of.includes(organization)))
  const states: SharedStates = {
    stored: async (of) => among(stored, of),
    async shared(of) {
      asked.push([...of])
      return among(shared, of)
    },
    losses: () => losses,
    outdate(organization, sequence) {
      dropped.set(organization, sequence)
      shared.set(organization, sequence)
    },
  }
  /** Restores the shared states of that time. */
  function lose(before: Counts): void {
    losses += 1
    for (const [organization, sequence] of before) shared.set(organization, sequence)
  }
  return { states, dropped, asked, lose }
}

/** Runs rounds, each after its `before`; `between` runs between the two checks of a round. */
async function run(
  states: SharedStates,
  befores: (() => void)[],
  between: () => void = () => {},
): Promise<void> {
  const { promise: isOver, resolve } = Promise.withResolvers<void>()
  const rounds = befores.values()
  rounds.next().value?.()
  const wait: Wait = async (ms, signal) => {
    if (ms < 1_000) return between()
    const { value: before, done } = rounds.next()
    if (!done) return before()
    resolve()
    await new Promise<void>((end) => signal.addEventListener('abort', () => end()))
  }
  const reconciling = startReconciling(states, () => [1, 2, 3], fail, wait)
  await isOver
  await reconciling.stop()
}

const once = [() => {}]

describe('The comparison of stored and shared states', () => {
  it('drops shared states if a change never arrived', async () => {
    const shared = new Map([
      [1, 4],
      [2, 7],
    ])
    const stored = new Map([
      [1, 4],
      [2, 8],
      [3, 5],
    ])
    const { states, dropped } = trial(shared, stored)
    await run(states, once)
    assert.deepEqual([...dropped], [[2, 8]])
  })

  it('changes nothing if the change was on its way', async () => {
    const shared = new Map([[1, 4]])
    const { states, dropped } = trial(shared, new Map([[1, 5]]))
    await run(states, once, () => shared.set(1, 5))
    assert.equal(dropped.size, 0)
  })

  it('finds a lost change among many that arrive', async () => {
    const [shared, stored] = [new Map([[1, 4]]), new Map([[1, 5]])]
    const { states, dropped } = trial(shared, stored)
    await run(states, once, () => {
      for (const counts of [shared, stored]) counts.set(1, counts.get(1)! + 100)
    })
    assert.deepEqual([...dropped], [[1, 905]])
  })

  it('checks only organizations whose states have changed since', async () => {
    const counts = new Map([
      [1, 4],
      [2, 7],
    ])
    const { states, asked } = trial(counts, counts)
    await run(states, [() => {}, () => {}, () => counts.set(2, 8)])
    assert.deepEqual(asked, [[1, 2], [], [2]])
  })

  it('drops shared states that have lost changes again', async () => {
    const counts = new Map([
      [1, 4],
      [2, 7],
    ])
    const { states, dropped, lose } = trial(counts, new Map(counts))
    await run(states, [() => {}, () => lose(new Map([[2, 6]]))])
    assert.deepEqual([...dropped], [[2, 7]])
  })

  it('repeats checks that failed', async () => {
    const shared = new Map<number, number>()
    const { states, asked, dropped } = trial(shared, new Map([[1, 5]]))
    await run(states, [() => {}, () => {}, () => shared.set(1, 4)])
    assert.deepEqual(asked.slice(0, 3), [[1], [1], [1]])
    assert.deepEqual([...dropped], [[1, 5]])
  })

  it('reports why nothing could be compared', async () => {
    const { promise: heard, resolve } = Promise.withResolvers<unknown>()
    const down = async () => {
      throw new Error('down')
    }
    const states = { shared: down, stored: down, losses: () => 0, outdate: () => {} }
    const reconciling = startReconciling(states, () => [1], resolve)
    assert.match(String(await heard), /down/)
    await reconciling.stop()
  })
})
