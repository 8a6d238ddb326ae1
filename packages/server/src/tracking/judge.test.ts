import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bareFix, type Fix } from '../domain/fix.ts'
import type { Accuracy } from '../domain/tracked-object.ts'
import { vehicle } from './drive-trial.ts'
import { judge, OBJECTIONS, type Objection } from './judge.ts'

const NOW = Date.UTC(2026, 10, 20)
const DAY = 86_400_000

function judged(told: Partial<Fix>, accuracy: Partial<Accuracy> = {}): Objection | undefined {
  return judge(vehicle(accuracy), { ...bareFix(NOW, NOW, 30, -97), ...told }, NOW)
}

describe('A fix is judged', () => {
  it('by its HDOP, as far as the object’s maximum', () => {
    assert.equal(judged({ hdop: 10 }), undefined)
    assert.equal(judged({ hdop: 10.001 }), 'hdop_above_maximum')
    assert.equal(judged({ hdop: 2.1 }, { maximumHdop: 2 }), 'hdop_above_maximum')
  })

  it('by its GPS level, from the object’s minimum on', () => {
    assert.equal(judged({ gpsLevel: 0 }), undefined)
    assert.equal(judged({ gpsLevel: 4 }, { minimumGpsLevel: 4 }), undefined)
    assert.equal(judged({ gpsLevel: 3 }, { minimumGpsLevel: 4 }), 'gps_level_below_minimum')
  })

  it('by no quality that it does not tell', () => {
    assert.equal(judged({}, { maximumHdop: 0, minimumGpsLevel: 255 }), undefined)
  })

  it('by its place: not 0,0, and on the globe', () => {
    assert.equal(judged({ latitude: 0, longitude: 0 }), 'no_fix')
    assert.equal(judged({ latitude: 0, longitude: 0.0000001 }), undefined)
    assert.equal(judged({ latitude: 90.1 }), 'out_of_range')
    assert.equal(judged({ longitude: -180.1 }), 'out_of_range')
    assert.equal(judged({ latitude: Number.NaN }), 'out_of_range')
  })

  it('by its time: up to a day ahead', () => {
    assert.equal(judged({ timeDevice: NOW + DAY }), undefined)
    assert.equal(judged({ timeDevice: NOW + DAY + 1 }), 'in_future')
    assert.equal(judged({ timeDevice: -1 }), 'bad_time')
    assert.equal(judged({ timeDevice: 0 }), undefined)
  })

  it('by what is wrong with it before what is poor', () => {
    assert.equal(judged({ latitude: 0, longitude: 0, hdop: 99 }), 'no_fix')
  })

  it('with a sentence for each objection', () => {
    const told = [
      judged({ hdop: 11 }),
      judged({ gpsLevel: 0 }, { minimumGpsLevel: 1 }),
      judged({ latitude: 91 }),
      judged({ latitude: 0, longitude: 0 }),
      judged({ timeDevice: NOW * 2 }),
      judged({ timeDevice: 0.5 }),
    ]
    assert.equal(new Set(told).size, 6)
    for (const objection of told) assert.ok(OBJECTIONS[objection!])
  })
})
