import { bareFix } from '../src/base/domain/position/fix.ts'
import { asStored, packFix } from '../src/base/domain/position/fix-record.ts'
import type { FoldState, Step } from '../src/base/domain/position/fold-state.ts'
import { advance } from '../src/engine/tracking/rules/advance.ts'
import { type PositionRow, packRowFold } from '../src/engine/tracking/stored-position.ts'
import { START, vehicle } from './drive-trial.ts'

/**
 * The rows of a drive with a fix each second: straight ahead, and every 100 seconds a bend and a short stop. Addresses
 * come in turns, and the device has an odometer and an hour meter.
 */
export function drivenRows(count: number): PositionRow[] {
  const object = vehicle()
  const rows: PositionRow[] = []
  let fold: FoldState | null = null
  let [latitude, longitude] = [41, 2]
  for (let i = 0; i < count; i += 1) {
    const isStanding = i % 100 > 90
    latitude += isStanding ? 0 : 0.0001
    longitude += isStanding ? 0 : Math.floor(i / 100) * 0.00003
    const time = START + i * 1_000
    const fix = asStored({
      ...bareFix(time, time + 1_000 + ((i * 7_919) % 1_000), latitude, longitude),
      speed: isStanding ? 0 : 42.5,
      angle: (Math.floor(i / 100) * 20) % 360,
      odometer: 12_000 + Math.floor(i / 10) / 10,
      engineHours: 300 + i / 3_600,
      ignition: true,
      address: i % 30 === 0 ? `Carrer de Mallorca ${(i / 30) % 4}` : null,
    })
    const step: Step = advance(fold, object, fix)
    fold = step.fold
    const marks = { motion: fold.motion, isLate: false }
    rows.push({
      fix: packFix(fix, fold, marks),
      track: packRowFold(fold, fix),
      change: 1_000 + Math.floor(i / 10),
      hidden: null,
    })
  }
  return rows
}
