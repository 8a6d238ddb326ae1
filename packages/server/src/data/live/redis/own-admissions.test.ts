import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { handedClock } from '../../../../testing/handed-clock.ts'
import { SPAN_US as spanUs } from '../../../base/access/sliding-log.ts'
import { ownAdmissions } from './redis-realtime.ts'

describe('The admissions of a process', () => {
  it('are carried once to each run of a server that lacks them, with stamp and age', () => {
    const clock = handedClock()
    const admissions = ownAdmissions(clock)
    const listed = (run: string) => admissions.carry('log', run).listed
    admissions.note('log', 77, 'first')
    clock.advanceUs(1_000)
    admissions.noteWithoutRedis('log')
    clock.advanceUs(500)
    assert.equal(listed('first'), '0 500')
    assert.equal(listed('first'), '')
    assert.equal(listed('second'), '77 1500 0 500')
    assert.equal(listed('second'), '')
    assert.equal(admissions.carry('another', 'second').listed, '')
  })

  it('are carried again if it is not known whether the script ran', () => {
    const clock = handedClock()
    const admissions = ownAdmissions(clock)
    admissions.noteWithoutRedis('log')
    const { listed, undo } = admissions.carry('log', 'run')
    undo()
    const again = admissions.carry('log', 'run')
    assert.equal(again.listed, listed)
    // Another server has them meanwhile.
    admissions.carry('log', 'other')
    again.undo()
    assert.equal(admissions.carry('log', 'other').listed, '')
  })

  it('are those of the last span, however many logs there are', () => {
    const anyStep = fc.record({ log: fc.nat(3), waitUs: fc.nat(spanUs) })
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 40 }), (steps) => {
        const clock = handedClock()
        const admissions = ownAdmissions(clock)
        const noted: { log: number; atUs: number }[] = []
        for (const { log, waitUs } of steps) {
          clock.advanceUs(waitUs)
          admissions.noteWithoutRedis(`${log}`)
          noted.push({ log, atUs: clock.monotonic() })
          for (const each of [0, 1, 2, 3]) {
            const carried = admissions.carry(`${each}`, 'run')
            carried.undo()
            const nowUs = clock.monotonic()
            const expected = noted
              .filter((one) => one.log === each && one.atUs > nowUs - spanUs)
              .map((one) => `0 ${nowUs - one.atUs}`)
            assert.equal(carried.listed, expected.join(' '))
          }
        }
      }),
    )
  })
})
