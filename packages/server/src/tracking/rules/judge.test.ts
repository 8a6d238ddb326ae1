import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { vehicle } from '../../../testing/drive-trial.ts'
import type { Accuracy } from '../../domain/monitored-object.ts'
import { bareFix, type Fix } from '../../domain/position/fix.ts'
import { judge, REJECT_REASONS, type RejectCode } from './judge.ts'

const NOW = Date.UTC(2026, 10, 20)
const DAY = 86_400_000

function judged(fields: Partial<Fix>, accuracy: Partial<Accuracy> = {}): RejectCode | undefined {
  return judge(vehicle(accuracy), { ...bareFix(NOW, NOW, 30, -97), ...fields }, NOW)
}

describe('A fix', () => {
  it('is rejected for its HDOP above the object’s maximum', () => {
    assert.equal(judged({ hdop: 10 }), undefined)
    assert.equal(judged({ hdop: 10.001 }), 'hdop_above_maximum')
    assert.equal(judged({ hdop: 2.1 }, { maximumHdop: 2 }), 'hdop_above_maximum')
    assert.equal(judged({ accuracy: 200 }), undefined)
    assert.equal(judged({ accuracy: 200.01 }), 'accuracy_above_maximum')
    assert.equal(judged({ accuracy: 11 }, { maximumAccuracy: 10 }), 'accuracy_above_maximum')
  })

  it('is rejected for its GPS level below the object’s minimum', () => {
    assert.equal(judged({ gpsLevel: 0 }), undefined)
    assert.equal(judged({ gpsLevel: 4 }, { minimumGpsLevel: 4 }), undefined)
    assert.equal(judged({ gpsLevel: 3 }, { minimumGpsLevel: 4 }), 'gps_level_below_minimum')
  })

  it('is not rejected for an unknown quality', () => {
    assert.equal(judged({}, { maximumHdop: 0, minimumGpsLevel: 255 }), undefined)
  })

  it('is rejected for its place: 0,0, or outside the globe', () => {
    assert.equal(judged({ latitude: 0, longitude: 0 }), 'no_fix')
    assert.equal(judged({ latitude: 0, longitude: 0.0000001 }), undefined)
    assert.equal(judged({ latitude: 90.1 }), 'out_of_range')
    assert.equal(judged({ longitude: -180.1 }), 'out_of_range')
    assert.equal(judged({ latitude: Number.NaN }), 'out_of_range')
  })

  it('is rejected for its time more than a day ahead', () => {
    assert.equal(judged({ timeDevice: NOW + DAY }), undefined)
    assert.equal(judged({ timeDevice: NOW + DAY + 1 }), 'in_future')
    assert.equal(judged({ timeDevice: -1 }), 'bad_time')
    assert.equal(judged({ timeDevice: 0 }), undefined)
  })

  it('is rejected for invalid values before poor quality', () => {
    assert.equal(judged({ latitude: 0, longitude: 0, hdop: 99 }), 'no_fix')
  })

  it('is rejected with a sentence for each reason', () => {
    const fields = [
      judged({ hdop: 11 }),
      judged({ gpsLevel: 0 }, { minimumGpsLevel: 1 }),
      judged({ latitude: 91 }),
      judged({ latitude: 0, longitude: 0 }),
      judged({ timeDevice: NOW * 2 }),
      judged({ timeDevice: 0.5 }),
    ]
    assert.equal(new Set(fields).size, 6)
    for (const reason of fields) assert.ok(REJECT_REASONS[reason!])
  })
})
