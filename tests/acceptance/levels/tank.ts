import type { Json } from '../harness/fleetgate.ts'

const MINUTE = 60_000
export const START = Date.UTC(2026, 4, 4, 6)

/** A part of a day: minutes, the level at its end, and whether the lorry drives. */
type Part = readonly [minutes: number, level: number, drives?: boolean]

/** A lorry that sends its position and its tank each minute. The level changes evenly within a part. */
export function tankRows(ident: string, first: number, parts: readonly Part[]): Json[] {
  const rows: Json[] = []
  let [level, latitude, time] = [first, 50, START]
  for (const [minutes, end, drives = false] of parts) {
    const step = (end - level) / minutes
    for (let minute = 0; minute < minutes; minute += 1) {
      level += step
      if (drives) latitude += 0.008
      const fuel = Math.round(level * 10) / 10
      rows.push({
        ...{ ident, time_device: time, latitude, longitude: 13, speed: drives ? 53 : 0 },
        ...{ ignition: true, attributes: { fuel } },
      })
      time += MINUTE
    }
  }
  return rows
}
