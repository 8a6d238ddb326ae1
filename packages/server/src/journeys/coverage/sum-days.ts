import { takeTurn } from '../../domain/common/turn.ts'
import type { DistanceUnit } from '../../domain/organization.ts'
import { FIELDS } from '../../domain/position/fields.ts'
import {
  COORDINATE_SCALE,
  FIX_FLAG,
  FIX_RECORD,
  FIX_RECORD_VERSION,
  unknownVersion,
} from '../../domain/position/fix-record.ts'
import { hundredthOf, hundredths } from '../../domain/position/units.ts'
import { utcDay } from '../../domain/time/time.ts'
import type { TimeRange } from '../../domain/time/time-range.ts'
import type { ChangeView } from '../../store/change-log.ts'
import { type DayContent, DaySum, type SummedRow } from './day-sum.ts'

/** Rows read before others get a turn: some milliseconds of work. */
const ROWS = 500

/** The days of an object that have positions in a range, ends included. */
export async function sumDays(
  view: Pick<ChangeView, 'range'>,
  object: number,
  { from, to }: TimeRange,
  unit: DistanceUnit,
): Promise<Map<number, DayContent>> {
  const days = new Map<number, DayContent>()
  let [day, sum] = [-1, new DaySum()]
  const end = () => {
    const content = sum.result()
    if (content !== null) days.set(day, content)
  }
  for (let after = from - 1; ; ) {
    const records = await view.range(object, after, to, ROWS)
    let rows = 0
    for (const row of rowsIn(records, object, unit)) {
      rows += 1
      after = row.timeDevice
      if (utcDay(after) !== day) {
        end()
        day = utcDay(after)
        sum = new DaySum()
      }
      sum.add(row)
    }
    if (rows < ROWS) break
    await takeTurn()
  }
  end()
  return days
}

function* rowsIn(records: Uint8Array, id: number, unit: DistanceUnit): Generator<SummedRow> {
  const view = new DataView(records.buffer, records.byteOffset, records.byteLength)
  const hundredth = hundredthOf(unit)
  const uint48 = (at: number) => view.getUint32(at, true) + view.getUint16(at + 4, true) * 2 ** 32
  for (let at = 0; at < records.length; at += view.getUint16(at + FIX_RECORD.length, true)) {
    if (records[at + FIX_RECORD.version] !== FIX_RECORD_VERSION) throw unknownVersion()
    const flags = view.getUint16(at + FIX_RECORD.flags, true)
    const has = (flag: number) => (flags & flag) !== 0
    const count = (flag: number, field: number) => (has(flag) ? uint48(at + field) : null)
    const micros = view.getUint32(at + FIX_RECORD.speed, true)
    yield {
      id,
      timeDevice: uint48(at + FIX_RECORD.timeDevice),
      timeServer: uint48(at + FIX_RECORD.timeServer),
      latitude: view.getInt32(at + FIX_RECORD.latitude, true) / COORDINATE_SCALE,
      longitude: view.getInt32(at + FIX_RECORD.longitude, true) / COORDINATE_SCALE,
      altitude: has(FIX_FLAG.altitude)
        ? view.getInt32(at + FIX_RECORD.altitude, true) / FIELDS.altitude.record.scale
        : null,
      angle: has(FIX_FLAG.angle)
        ? view.getUint16(at + FIX_RECORD.angle, true) / FIELDS.angle.record.scale
        : null,
      speed: has(FIX_FLAG.speed) ? hundredths(micros, hundredth) / 100 : null,
      odometerMm: count(FIX_FLAG.odometer, FIX_RECORD.odometer),
      mileageMm: count(FIX_FLAG.mileage, FIX_RECORD.mileage),
      engineHoursMs: count(FIX_FLAG.engineHours, FIX_RECORD.engineHours),
    }
  }
}
