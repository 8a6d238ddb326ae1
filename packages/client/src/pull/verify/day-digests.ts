import { createHash } from 'node:crypto'
import type { StoredPosition } from '../../replica/replica-store.ts'

/** The sums of a day, as `GET /coverage` has them. */
export type DayDigests = { positions: number; digest: string; counters_digest: string }

export const NO_POSITIONS: DayDigests = {
  ...{ positions: 0, digest: '0'.repeat(64), counters_digest: '0'.repeat(64) },
}

const MODULUS = 1n << 256n

/** The digests of each day, by its date. `positions`: of one object, by time. */
export async function dayDigests(
  positions: Iterable<StoredPosition> | AsyncIterable<StoredPosition>,
): Promise<Map<string, DayDigests>> {
  const days = new Map<string, DayDigests>()
  let [date, count, rows, counters] = ['', 0, 0n, 0n]
  const end = () => {
    if (count === 0) return
    days.set(date, { positions: count, digest: hex(rows), counters_digest: hex(counters) })
  }
  for await (const { position } of positions) {
    const { id, time_device, exact } = position
    const dayOf = time_device.slice(0, 10)
    if (dayOf !== date) {
      end()
      ;[date, count, rows, counters] = [dayOf, 0, 0n, 0n]
    }
    count += 1
    // RFC 8785: members by name, and numbers as JavaScript writes them.
    const { altitude, angle, latitude, longitude, speed, time_server } = position
    const ofPlace = { altitude, angle, id, latitude, longitude, speed }
    rows += hashOf({ ...ofPlace, time_device, time_server })
    counters += hashOf({ exact: exact === undefined ? null : inOrder(exact), id, time_device })
  }
  end()
  return days
}

type Exact = NonNullable<StoredPosition['position']['exact']>

function inOrder({ engine_hours_ms, mileage_mm, odometer_mm }: Exact): Exact {
  return { engine_hours_ms, mileage_mm, odometer_mm }
}

function hashOf(value: object): bigint {
  return BigInt(`0x${createHash('sha256').update(JSON.stringify(value)).digest('hex')}`)
}

function hex(sum: bigint): string {
  return (sum % MODULUS).toString(16).padStart(64, '0')
}
