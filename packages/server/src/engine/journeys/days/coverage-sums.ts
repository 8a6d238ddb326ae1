import { hash } from 'node:crypto'
import { takeTurn } from '../../../base/domain/common/slots.ts'
import type { DistanceUnit } from '../../../base/domain/organization.ts'
import { hundredthOf, hundredths } from '../../../base/domain/position/field.ts'
import type { Fix } from '../../../base/domain/position/fix.ts'
import { COORDINATE_SCALE, MICRO, scaled } from '../../../base/domain/position/fix-record.ts'
import {
  countersIn,
  latitudeIn,
  longitudeIn,
  measureIn,
  type PositionColumns,
  timeIn,
  timeServerIn,
} from '../../../base/domain/position/position-columns.ts'
import { formatInstant, HOUR_MS, type TimeRange, utcDay } from '../../../base/domain/time/time.ts'
import type { ObjectEntry } from '../../store/change-entries.ts'
import { type ChangeView, changesAfter } from '../../store/change-log.ts'
import type { TouchedDays } from '../../store/record-store.ts'

/** Rows read at once: so many blocks that reading one of them twice hardly counts. */
const ROWS = 5_000

const [altitudeIn, angleIn, speedIn] = [
  measureIn('altitude'),
  measureIn('angle'),
  measureIn('speed'),
]

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
    const parts = await view.range(object, after, to, ROWS)
    let rows = 0
    for (const columns of parts) {
      for (const row of rowsIn(columns, object, unit)) {
        after = row.timeDevice
        if (utcDay(after) !== day) {
          end()
          day = utcDay(after)
          sum = new DaySum()
        }
        sum.add(row)
      }
      rows += columns.rows
      await takeTurn()
    }
    if (rows < ROWS) break
  }
  end()
  return days
}

function* rowsIn(columns: PositionColumns, id: number, unit: DistanceUnit): Generator<SummedRow> {
  const hundredth = hundredthOf(unit)
  for (let row = 0; row < columns.rows; row += 1) {
    const { odometer, mileage, engineHours } = countersIn(columns, row)
    const speed = speedIn(columns, row)
    yield {
      id,
      timeDevice: timeIn(columns, row),
      timeServer: timeServerIn(columns, row),
      latitude: latitudeIn(columns, row) / COORDINATE_SCALE,
      longitude: longitudeIn(columns, row) / COORDINATE_SCALE,
      altitude: altitudeIn(columns, row),
      angle: angleIn(columns, row),
      speed: speed === null ? null : hundredths(scaled(speed, MICRO), hundredth) / 100,
      odometerMm: odometer,
      mileageMm: mileage,
      engineHoursMs: engineHours,
    }
  }
}

/** A position in the values of the API: rounded, in the organization's unit. */
export type SummedRow = Pick<
  Fix,
  'timeDevice' | 'timeServer' | 'latitude' | 'longitude' | 'altitude' | 'angle' | 'speed'
> & {
  id: number
  odometerMm: number | null
  mileageMm: number | null
  engineHoursMs: number | null
}

/** The positions of a day in figures. Times in milliseconds. */
export type DayContent = {
  positions: number
  first: number
  last: number
  longestGap: number
  /** Positions that arrived more than an hour after they were taken. */
  late: number
  worstLateness: number
  /** The newest `time_server`. */
  stored: number
  digest: string
  countersDigest: string
}

/** Adds up the positions of a day, in the order of their times. */
export class DaySum {
  private content: Omit<DayContent, 'digest' | 'countersDigest'> | undefined
  private readonly rows = digestSum()
  private readonly counters = digestSum()

  add(row: SummedRow): void {
    const { timeDevice: time, timeServer } = row
    const lateness = Math.max(0, timeServer - time)
    this.content ??= {
      positions: 0,
      first: time,
      last: time,
      longestGap: 0,
      late: 0,
      worstLateness: 0,
      stored: timeServer,
    }
    const { content } = this
    content.positions += 1
    content.longestGap = Math.max(content.longestGap, time - content.last)
    content.last = time
    if (lateness > HOUR_MS) content.late += 1
    content.worstLateness = Math.max(content.worstLateness, lateness)
    content.stored = Math.max(content.stored, timeServer)
    const device = `"time_device":"${formatInstant(time)}"`
    this.rows.add(rowForm(row, device))
    this.counters.add(countersForm(row, device))
  }

  /** Null without positions. */
  result(): DayContent | null {
    if (this.content === undefined) return null
    return { ...this.content, digest: this.rows.text(), countersDigest: this.counters.text() }
  }
}

/** RFC 8785: members by name, numbers and texts as `JSON.stringify` writes them. */
function rowForm(row: SummedRow, device: string): string {
  const { id, latitude, longitude, altitude, angle, speed, timeServer } = row
  return (
    `{"altitude":${altitude},"angle":${angle},"id":${id},"latitude":${latitude}` +
    `,"longitude":${longitude},"speed":${speed},${device}` +
    `,"time_server":"${formatInstant(timeServer)}"}`
  )
}

function countersForm(row: SummedRow, device: string): string {
  const { id, engineHoursMs, mileageMm, odometerMm } = row
  return (
    `{"exact":{"engine_hours_ms":${engineHoursMs},"mileage_mm":${mileageMm},"odometer_mm":${odometerMm}}` +
    `,"id":${id},${device}}`
  )
}

const WORDS = 8

const WORD = 2 ** 32

/** The sum modulo 2^256 of SHA-256 digests. It has words of 32 bits, which hold the sums of 2 million digests. */
function digestSum(): { add(text: string): void; text(): string } {
  const words = new Float64Array(WORDS)
  let added = 0

  function carry(): void {
    for (let i = WORDS - 1; i >= 0; i--) {
      const over = Math.floor(words[i]! / WORD)
      words[i]! -= over * WORD
      if (i > 0) words[i - 1]! += over
    }
    added = 0
  }

  return {
    add(text) {
      // A text of one byte for each character costs a third of a buffer.
      const digest = hash('sha256', text, 'binary')
      for (let i = 0; i < WORDS; i++) words[i]! += wordAt(digest, i * 4)
      added += 1
      if (added === MAX_ADDED) carry()
    },
    text() {
      carry()
      return Array.from(words, (word) => word.toString(16).padStart(8, '0')).join('')
    },
  }
}

/** The word of four bytes, the highest first, each of which is a character. */
function wordAt(bytes: string, at: number): number {
  const high = (bytes.charCodeAt(at) << 8) | bytes.charCodeAt(at + 1)
  return high * 0x1_0000 + ((bytes.charCodeAt(at + 2) << 8) | bytes.charCodeAt(at + 3))
}

const MAX_ADDED = 1_000_000

export const NO_DIGEST = '0'.repeat(64)

/** One step reads no more changes, and then notes the days: a view and a write of some milliseconds. */
const MAX_CHANGES = 2_000

const MAX_TOUCHED = 5_000

/** After every day that a position can have. */
const LAST_DAY = 2 ** 31

/** `days`: those that the changes up to number `seq` touched, with the last change of each. */
type Touched = { seq: number; days: TouchedDays[] | 'all' }

/** Reads the days that changes after number `after` touched, as many as one step may note. */
export async function readTouchedDays(
  view: Pick<ChangeView, 'changes'>,
  after: number,
): Promise<Touched> {
  const touched = new Map<string, TouchedDays>()
  let [read, last] = [0, after]
  for await (const changes of changesAfter(view, after)) {
    for (const { seq, at, entries } of changes) {
      last = seq
      // Days before the retention were purged without a change. A longer one would show them as they were.
      if (entries.retainedBefore !== undefined) return { seq, days: 'all' }
      const touch = (object: number, from: number, to: number) =>
        touched.set(`${object} ${from} ${to}`, { object, from, to, seq, at })
      for (const { id, retainedBefore } of entries.items) {
        if (retainedBefore !== undefined) touch(id, 0, LAST_DAY)
      }
      for (const entry of entries.objects) {
        for (const [from, to] of daysOf(entry)) touch(entry.object, from, to)
      }
    }
    read += changes.length
    if (read >= MAX_CHANGES || touched.size >= MAX_TOUCHED) break
  }
  return { seq: last, days: [...touched.values()] }
}

/** The ranges of days that an entry touches, ends included. Rows that `rewritten` names are hidden, or show the same as before. */
function daysOf({ positions, shifts }: ObjectEntry): [from: number, to: number][] {
  const days = [...new Set(positions.map(({ time }) => utcDay(time)))]
  return [
    ...days.map((day): [number, number] => [day, day]),
    ...shifts.map(({ from }): [number, number] => [utcDay(from), LAST_DAY]),
  ]
}
