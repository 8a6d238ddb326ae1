import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type FailureEntry, openFailureSeries } from './failure-series.ts'

const MINUTE = 60_000

function opened() {
  const made = { now: Date.UTC(2026, 10, 20), entries: [] as FailureEntry[], isDown: false }
  const clock = { now: () => made.now, monotonic: () => 0 }
  const note = async (entry: FailureEntry) => {
    if (made.isDown) throw new Error('down')
    made.entries.push(entry)
  }
  return { made, series: openFailureSeries('session.sign_in_failed', note, clock) }
}

describe('A series of failed attempts', () => {
  it('is one entry: how many, from which networks, since when', async () => {
    const { made, series } = opened()
    for (let i = 0; i < 40; i++) series.add(`198.51.100.${i}`, i >= 5)
    series.add('203.0.113.7', false)
    series.add('203.0.113.7', false)
    for (let i = 0; i < 5; i++) series.add(`10.0.${i}.1`, false)
    await series.close()
    await series.close()
    assert.deepEqual(made.entries, [
      {
        action: 'session.sign_in_failed',
        organization: null,
        changes: {
          attempts: { to: 47 },
          refused: { to: 35 },
          networks: { to: 7 },
          sources: {
            to: '198.51.100.0/24 (40), 203.0.113.7 (2), 10.0.0.1 (1), 10.0.1.1 (1), 10.0.2.1 (1), and 2 more',
          },
          since: { to: '2026-11-20T00:00:00.000Z' },
        },
      },
    ])
  })

  it('is written after five quiet minutes, and after an hour at the latest', async () => {
    const { made, series } = opened()
    series.add('203.0.113.7', false)
    made.now += 5 * MINUTE - 1
    await series.closeIfOver()
    assert.equal(made.entries.length, 0)
    made.now += 1
    await series.closeIfOver()
    assert.equal(made.entries.length, 1)
    for (let i = 0; i < 120; i++) {
      series.add('203.0.113.7', false)
      made.now += MINUTE
      await series.closeIfOver()
    }
    assert.equal(made.entries.length, 3)
  })

  it('counts any number of networks in bounded memory', async () => {
    const { made, series } = opened()
    for (let i = 0; i < 5_000; i++) series.add(`10.${i >> 8}.${i % 256}.1`, false)
    await series.close()
    const { attempts, networks } = made.entries[0]!.changes!
    assert.deepEqual([attempts, networks], [{ to: 5_000 }, { to: 1_001 }])
  })

  it('is kept while it cannot be written', async () => {
    const { made, series } = opened()
    series.add('203.0.113.7', false)
    made.isDown = true
    await assert.rejects(series.close())
    made.isDown = false
    await series.close()
    assert.deepEqual(made.entries[0]!.changes!.attempts, { to: 1 })
  })
})
