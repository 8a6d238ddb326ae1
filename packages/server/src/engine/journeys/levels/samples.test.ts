import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  ATTRIBUTE_DEFAULTS,
  type AttributeEntry,
} from '../../../base/domain/attributes/attribute-catalogue.ts'
import { levelSettings } from './samples.ts'

const TANK: AttributeEntry = {
  ...{ ...ATTRIBUTE_DEFAULTS, name: 'tank', type: 'number', label: 'Tank', unit: 'l', decimals: 1 },
  ...{ isLevel: true, sources: ['fuel', { name: 'adc1', objects: [7], capacity: 400 }] },
}

describe('The settings of a level', () => {
  it('are a share of the tank, unless the entry says otherwise', () => {
    const minutes = (count: number) => count * 60_000
    const half = minutes(5)
    assert.deepEqual(levelSettings(TANK, 7), { threshold: 200, halfWindow: half })
    assert.deepEqual(levelSettings(TANK, 8), { threshold: 100, halfWindow: half })
    const percent = { ...TANK, unit: '%', decimals: 0 }
    assert.deepEqual(levelSettings(percent, 8), { threshold: 5, halfWindow: half })
    const chosen = { ...TANK, threshold: 12.5, smoothing: 120 }
    assert.deepEqual(levelSettings(chosen, 7), { threshold: 125, halfWindow: minutes(2) })
    assert.deepEqual(levelSettings({ ...chosen, threshold: null, smoothing: 0 }, 7), {
      threshold: 200,
      halfWindow: 0,
    })
  })

  it('have a threshold of at least one whole unit', () => {
    const coarse = { ...TANK, decimals: 0, threshold: 0.001 }
    assert.equal(levelSettings(coarse, 7).threshold, 1)
  })
})
