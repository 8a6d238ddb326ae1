import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bareFix } from '../domain/fix.ts'
import { ACCURACY_DEFAULTS, type Accuracy } from '../domain/tracked-object.ts'
import { type Motion, motionOf } from './motion.ts'

type Case = [speed: number | null, ignition: boolean | null, motion: Motion | null]

function assertMotions(accuracy: Partial<Accuracy>, cases: Case[]): void {
  for (const [speed, ignition, motion] of cases) {
    const fix = { ...bareFix(0, 0, 1, 1), speed, ignition }
    const told = motionOf(fix, { ...ACCURACY_DEFAULTS, ...accuracy })
    assert.equal(told, motion, `${speed} km/h, ignition ${ignition}`)
  }
}

describe('The motion of a fix', () => {
  it('goes by the speed, and below that of movement by the ignition', () => {
    assertMotions({}, [
      [5, null, 'moving'],
      [5, false, 'moving'],
      [4.999999, true, 'idle'],
      [4.999999, false, 'stopped'],
      [0, true, 'idle'],
      [0, false, 'stopped'],
    ])
  })

  it('goes by the idle threshold where the ignition is unknown', () => {
    assertMotions({}, [
      [4.999999, null, 'idle'],
      [3.000001, null, 'idle'],
      [3, null, 'stopped'],
      [0, null, 'stopped'],
    ])
  })

  it('is unknown only where both are', () => {
    assertMotions({}, [
      [null, null, null],
      [null, true, 'idle'],
      [null, false, 'stopped'],
    ])
  })

  it('stops only with the ignition off where that is how stops are detected', () => {
    assertMotions({ stopDetectionMethod: 'ignition' }, [
      [0, null, 'idle'],
      [0, true, 'idle'],
      [0, false, 'stopped'],
      [50, false, 'moving'],
      [null, null, null],
    ])
  })

  it('goes by the object’s own thresholds', () => {
    assertMotions({ minimumMovingSpeed: 20, idleSpeedThreshold: 0 }, [
      [20, null, 'moving'],
      [19, null, 'idle'],
      [0, null, 'stopped'],
    ])
  })
})
