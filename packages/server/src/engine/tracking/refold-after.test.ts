import assert from 'node:assert/strict'
import { it } from 'node:test'
import { drive, type Leg, vehicle } from '../../../testing/drive-trial.ts'
import { bareFix } from '../../base/domain/position/fix.ts'
import { isShownOtherwise } from './refold-after.ts'
import { packRowFold, type StoredPosition, unpackRowFold } from './stored-position.ts'

it('A counter that was shown as 0 because it was below is shown otherwise once it is 0', () => {
  const [step] = drive(vehicle(), [{ speed: 0 } satisfies Leg])
  const { fold } = step!
  const fix = bareFix(fold.at, fold.at, 0, 10)
  const track = packRowFold(fold, fix)
  const { odometer, mileage, engineHours } = fold
  const position: StoredPosition = {
    ...{
      fix,
      track,
      rowFold: unpackRowFold(track, fold.at),
      change: 1,
      hidden: null,
      isLate: false,
    },
    ...{ counters: { odometer, mileage, engineHours }, isCut: false },
  }
  const isOtherwise = (isCut: boolean) => isShownOtherwise({ ...position, isCut }, step!)
  assert.deepEqual([isOtherwise(true), isOtherwise(false)], [true, false])
})
