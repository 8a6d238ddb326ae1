import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type Figure, verdictOf } from './figures.ts'

const ratio = (value: number, spread?: Figure['spread']): Figure => ({
  name: 'of raw',
  value,
  unit: '',
  ...(spread && { spread }),
})

it('is met if the median and all rounds keep the bar', () => {
  assert.equal(verdictOf({ ...ratio(0.59, [0.4, 4.64]), atLeast: 0.35 }), 'met')
  assert.equal(verdictOf({ ...ratio(1.1, [0.9, 1.25]), atMost: 1.25 }), 'met')
  assert.equal(verdictOf({ ...ratio(0.4), atLeast: 0.35 }), 'met')
})

it('is unproven if the median keeps the bar and a round does not', () => {
  assert.equal(verdictOf({ ...ratio(0.59, [0.11, 4.64]), atLeast: 0.35 }), 'unproven')
  assert.equal(verdictOf({ ...ratio(1.14, [1, 1.42]), atMost: 1.25 }), 'unproven')
})

it('is missed if the median does not keep the bar, whatever the rounds', () => {
  assert.equal(verdictOf({ ...ratio(0.26, [0.22, 0.39]), atLeast: 0.3 }), 'missed')
  assert.equal(verdictOf({ ...ratio(0.5, [0.45, 0.55]), atLeast: 0.6 }), 'missed')
  assert.equal(verdictOf({ ...ratio(2), atMost: 1.5 }), 'missed')
})

it('has no verdict without a bar', () => {
  assert.equal(verdictOf(ratio(0.1, [0.1, 9])), undefined)
})
