import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bareFix } from '../domain/fix.ts'
import type { Motion } from '../domain/track.ts'
import { ACCURACY_DEFAULTS, type Accuracy } from '../domain/tracked-object.ts'
import { believedSpeed, motionOf } from './motion.ts'

type Case = [speed: number | null, ignition: boolean | null, motion: Motion | null]

function assertMotions(accuracy: Partial<Accuracy>, cases: Case[], travelled = false): void {
  for (const [speed, ignition, motion] of cases) {
    const fix = { ...bareFix(0, 0, 1, 1), speed, ignition }
    const told = motionOf(fix, { ...ACCURACY_DEFAULTS, ...accuracy }, travelled)
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

  it('goes by where the object went while its speed is unknown', () => {
    assertMotions(
      {},
      [
        [null, null, 'moving'],
        [null, true, 'moving'],
        // With the ignition off it is towed, or shipped.
        [null, false, 'stopped'],
        [0, null, 'stopped'],
        [0, true, 'idle'],
      ],
      true,
    )
  })

  it('takes a speed above 250 km/h for unknown', () => {
    assert.equal(believedSpeed({ ...bareFix(0, 0, 1, 1), speed: 250 }), 250)
    assert.equal(believedSpeed({ ...bareFix(0, 0, 1, 1), speed: 250.1 }), null)
    assertMotions({}, [
      [250, null, 'moving'],
      [410, null, null],
      [410, true, 'idle'],
      [410, false, 'stopped'],
    ])
  })
})
