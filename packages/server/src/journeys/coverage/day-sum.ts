import { hash } from 'node:crypto'
import type { Fix } from '../../domain/position/fix.ts'
import { DAY_MS, formatInstant, HOUR_MS } from '../../domain/time/time.ts'

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
  /** Positions that came more than an hour after they were taken. */
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
      ...{ positions: 0, first: time, last: time, longestGap: 0 },
      ...{ late: 0, worstLateness: 0, stored: timeServer },
    }
    const { content } = this
    content.positions += 1
    content.longestGap = Math.max(content.longestGap, time - content.last)
    content.last = time
    if (lateness > HOUR_MS) content.late += 1
    content.worstLateness = Math.max(content.worstLateness, lateness)
    content.stored = Math.max(content.stored, timeServer)
    this.rows.add(rowForm(row))
    this.counters.add(countersForm(row))
  }

  /** Null without positions. */
  result(): DayContent | null {
    if (this.content === undefined) return null
    return { ...this.content, digest: this.rows.text(), countersDigest: this.counters.text() }
  }
}

/** RFC 8785: members by name, numbers and texts as `JSON.stringify` writes them. */
function rowForm(row: SummedRow): string {
  const { id, latitude, longitude, altitude, angle, speed, timeDevice, timeServer } = row
  return (
    `{"altitude":${altitude},"angle":${angle},"id":${id},"latitude":${latitude}` +
    `,"longitude":${longitude},"speed":${speed},"time_device":"${formatInstant(timeDevice)}"` +
    `,"time_server":"${formatInstant(timeServer)}"}`
  )
}

function countersForm({ id, timeDevice, engineHoursMs, mileageMm, odometerMm }: SummedRow): string {
  return (
    `{"exact":{"engine_hours_ms":${engineHoursMs},"mileage_mm":${mileageMm},"odometer_mm":${odometerMm}}` +
    `,"id":${id},"time_device":"${formatInstant(timeDevice)}"}`
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
      const digest = hash('sha256', text, 'buffer')
      for (let i = 0; i < WORDS; i++) words[i]! += digest.readUInt32BE(i * 4)
      added += 1
      if (added === MAX_ADDED) carry()
    },
    text() {
      carry()
      return Array.from(words, (word) => word.toString(16).padStart(8, '0')).join('')
    },
  }
}

const MAX_ADDED = 1_000_000

export const NO_DIGEST = '0'.repeat(64)

/** The first moment of a day. */
export function startOf(day: number): number {
  return day * DAY_MS
}
