import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { seenTimes } from './seen-times.ts'

const times = fc
  .uniqueArray(fc.integer({ min: -50, max: 200 }), { maxLength: 60 })
  .map((all) => all.sort((a, b) => a - b))

describe('Times that a file has', () => {
  it('are each new once, over any number of runs, that stop anywhere', () => {
    const run = fc.record({ times, stop: fc.nat(60), after: fc.integer({ min: -60, max: 200 }) })
    fc.assert(
      fc.property(fc.array(run, { maxLength: 6 }), (runs) => {
        let saved = ''
        let after = Number.NEGATIVE_INFINITY
        const known = new Set<number>()
        for (const each of runs) {
          const seen = seenTimes(saved)
          // Nobody asks for what was forgotten.
          const asked = each.times.slice(0, each.stop).filter((time) => time > after)
          for (const time of asked) {
            assert.equal(seen.isNew(time), !known.has(time))
            known.add(time)
          }
          after = Math.max(after, each.after)
          saved = seen.save(after)
        }
      }),
    )
  })

  it('go on after they were saved, and what is saved is no more than is needed', () => {
    const seen = seenTimes('')
    for (const time of [10, 20, 30]) assert.ok(seen.isNew(time))
    assert.equal(seen.save(10), '20,10')
    assert.ok(seen.isNew(40))
    assert.equal(seen.save(20), '30,10')
    assert.equal(seenTimes('30,10').save(100), '')
  })
})
