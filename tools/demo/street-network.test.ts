import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { STRETCHES } from './street-network.ts'

describe('The streets of the demo fleet', () => {
  it('are cut where they bend, so that every stretch is straight', () => {
    for (const { street, length, lineFrom, lineTo } of STRETCHES) {
      // Crossings closer than 12 m are one.
      const far = Math.abs(Math.abs(lineTo - lineFrom) - length)
      assert.ok(far < 24, `${street.name}: ${length} m of ${lineTo - lineFrom} m`)
    }
  })
})
