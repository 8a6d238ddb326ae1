import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { handedClock } from '../../../testing/handed-clock.ts'
import { newRequestId, thinning } from './listener-log.ts'

function logged(isThinnedOut: (address: string) => boolean, addresses: Iterable<string>): number {
  let lines = 0
  for (const address of addresses) if (!isThinnedOut(address)) lines += 1
  return lines
}

const times = (count: number, addressOf: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => addressOf(at))

describe('Lines about an address', () => {
  it('are all logged up to a hundred a minute, and then every hundredth', () => {
    const clock = handedClock()
    const isThinnedOut = thinning(clock)
    assert.equal(
      logged(
        isThinnedOut,
        times(100, () => '192.0.2.1'),
      ),
      100,
    )
    assert.equal(
      logged(
        isThinnedOut,
        times(1_000, () => '192.0.2.1'),
      ),
      10,
    )
    assert.equal(logged(isThinnedOut, ['192.0.2.2']), 1)
    clock.advanceUs(60_000_000)
    assert.equal(
      logged(
        isThinnedOut,
        times(100, () => '192.0.2.1'),
      ),
      100,
    )
  })

  it('share one count if there are more addresses than counters, and one limit', () => {
    const isThinnedOut = thinning(handedClock())
    const from = (network: string) => times(10_000, (at) => `2001:db8:${network}::${at}`)
    assert.equal(logged(isThinnedOut, from('0')), 10_000)
    assert.equal(logged(isThinnedOut, from('1')), 100, 'every hundredth')
    const again = times(99, () => '2001:db8:0::7')
    assert.equal(logged(isThinnedOut, again), 1, 'one that was counted before')
  })
})

it('no id repeats, however many are made', () => {
  const ids = Array.from({ length: 5_000 }, newRequestId)
  assert.equal(new Set(ids).size, ids.length)
  for (const id of ids) assert.match(id, /^[0-9a-f]{24}$/)
})
