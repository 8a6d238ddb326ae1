import assert from 'node:assert/strict'
import { beforeEach, describe, it } from 'node:test'
import { handedClock } from '../../testing/handed-clock.ts'
import { openDisclosing } from './disclosing.ts'

const HOUR_US = 3_600_000_000
const PERSON = { account: { id: 5 }, issuer: { account: 5, token: null } } as never
const TOKEN = { account: null, issuer: { account: 5, token: 8 } }
const SEEN = { lastFix: {} as never }
const COMMAND_LINE = { account: null, issuer: { account: null, token: null } }

let counted: unknown[] = []
beforeEach(() => {
  counted = []
})
const clock = handedClock()
const disclosing = openDisclosing(
  {
    of: (source) => ({
      answer: ({ id, organization }, data, { objects, rows }) =>
        counted.push([source, id, organization, data, objects, rows]),
      rows: (_, data, object, rows) => counted.push([source, data, object, rows]),
    }),
  },
  clock,
)

describe('Rows that an act shows', () => {
  it('are a request for the first ones of each object, and nothing if there are none', () => {
    const { rows } = disclosing(TOKEN, 1)
    rows(7, 'records', 2)
    rows(7, 'records', 3)
    rows(8, 'records', 0)
    disclosing(COMMAND_LINE, 2).rows(7, 'positions', 1)
    assert.deepEqual(counted, [
      ['token', 8, 1, 'records', [7], [2]],
      ['token', 'records', 7, 3],
      ['command', 0, 2, 'positions', [7], [1]],
    ])
  })
})

describe('States that acts show', () => {
  const fleet = () => [7, 8, 9]
  const state = (object: number, by = PERSON, organization = 1) =>
    disclosing(by, organization).state(object, SEEN)
  beforeEach(() => clock.advanceUs(HOUR_US))

  it('count once an hour for each caller, organization and object', () => {
    for (const object of [7, 7, 8]) state(object)
    state(7, TOKEN as never)
    state(7, PERSON, 2)
    clock.advanceUs(HOUR_US)
    state(7)
    disclosing(PERSON, 1).state(9, { lastFix: null })
    assert.equal(counted.length, 5)
  })

  it('count once an hour with the fleet, and not again by themselves', () => {
    state(7)
    disclosing(PERSON, 1).fleet(3, fleet)
    disclosing(PERSON, 1).fleet(3, () => assert.fail('not asked again'))
    state(8)
    disclosing(PERSON, 1).fleet(4, () => [...fleet(), 10])
    disclosing(TOKEN, 1).fleet(4, () => [...fleet(), 10])
    assert.deepEqual(counted, [
      ['person', 5, 1, 'detail', [7], undefined],
      ['person', 5, 1, 'detail', [8, 9], undefined],
      ['person', 5, 1, 'detail', [10], undefined],
      ['token', 8, 1, 'detail', [7, 8, 9, 10], undefined],
    ])
  })

  it('are kept of a bounded number of objects', () => {
    for (let object = 1; object <= 1_001; object += 1) state(object)
    state(1)
    assert.equal(counted.length, 1_002)
  })
})
