import assert from 'node:assert/strict'
import { resultOf } from '../harness/envelope.ts'
import type { Fleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { type Sender, senderWith } from '../harness/sender.ts'
import { untilRecords } from '../trips/records-fleet.ts'

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

/** Each look waits for a change of records, or for two seconds. */
const MAX_LOOKS = 60

export const RANGE = 'from_time=2026-05-04&to_time=2026-05-05'

/** Drives three hours, is filled within three minutes, drives again, is drained within ten, and drives home. */
export function filledAndDrained(ident: string): Json[] {
  return tankRows(ident, 300, [
    [180, 240, true],
    [20, 239.5],
    [3, 380],
    [20, 379.6],
    [330, 270, true],
    [30, 270],
    [10, 190],
    [90, 190],
    [60, 170, true],
  ])
}

/** An organization that sent rows, whose `fuel` is a level in liters that keys see. */
export type TankFleet = Sender & {
  ids: number[]
  /** Edits an attribute. */
  set(name: string, ...options: string[]): Promise<unknown>
  /** The changes of levels of two days. `query`: more parameters. */
  levels(query?: string): Promise<Json[]>
  /** Resolves when something holds of them. */
  until(holds: (levels: Json[]) => boolean): Promise<Json[]>
}

export async function tankFleet(fleet: Fleet, rows: Json[]): Promise<TankFleet> {
  const sender = await senderWith(fleet, rows)
  const org = ['--org', String(sender.id)]
  const levels = async (query = '') => resultOf(await sender.get(`/levels?${RANGE}${query}`))
  const tanks: TankFleet = {
    ...sender,
    levels,
    set: (name, ...options) => fleet.json('attributes', 'set', name, ...org, ...options),
    async until(holds) {
      let found: Json[] = []
      let looks = 0
      await untilRecords(sender, async () => {
        found = await levels()
        looks += 1
        assert.ok(looks < MAX_LOOKS, JSON.stringify(found))
        return holds(found)
      })
      return found
    },
  }
  await tanks.set('fuel', '--is-public', '--is-level', '--unit', 'l', '--decimals', '1')
  return tanks
}

export const kindsOf = (levels: Json[]): string[] => levels.map(({ kind }) => kind)
