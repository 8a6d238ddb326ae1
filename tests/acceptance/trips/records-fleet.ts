import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Answer } from '../harness/client.ts'
import { resultOf } from '../harness/envelope.ts'
import type { startFleet } from '../harness/fleet.ts'
import type { Json } from '../harness/fleetgate.ts'
import { type Sender, senderWith } from '../harness/sender.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'

export const MINUTE = 60_000
/** The day of the drive, which is long over. */
export const DAY = Date.UTC(2026, 4, 4)
export const RANGE = 'from_time=2026-05-04&to_time=2026-05-04'
export const SITE = { name: 'Depot', latitude: 41, longitude: 2, radius: 300 }

/** Stationary for 10 minutes, then east at 36 km/h, 100 m in each 10 s, then stationary again. */
export function drive(ident: string, start: number, metres = 2_000) {
  const rows: Json[] = []
  const add = (minutes: number, east: number, speed: number) =>
    rows.push({
      ident,
      time_device: new Date(start + minutes * MINUTE).toISOString(),
      latitude: 41,
      longitude: 2 + east / 84_000,
      speed,
      ignition: speed > 0,
      address: `At ${east} m`,
    })
  for (let minute = 0; minute <= 10; minute += 1) add(minute, 0, 0)
  const steps = metres / 100
  for (let step = 1; step < steps; step += 1) add(10 + step / 6, step * 100, 36)
  for (let minute = 0; minute <= 10; minute += 1) add(10 + steps / 6 + minute, metres, 0)
  return rows
}

/** An organization with a site around the start of a drive, and a key that sees its derived records. */
export async function driven(
  fleet: Awaited<ReturnType<typeof startFleet>>,
  idents: readonly string[],
): Promise<Sender & { ids: number[] }> {
  const sender = await sentDrives(fleet, idents)
  await untilDerived(sender, sender.ids)
  return sender
}

/** The same, whose records nobody has asked for. */
export async function sentDrives(
  fleet: Awaited<ReturnType<typeof startFleet>>,
  idents: readonly string[],
): Promise<Sender & { ids: number[] }> {
  const sender = await senderWith(
    fleet,
    idents.flatMap((ident) => drive(ident, DAY)),
  )
  const file = join(temporaryFolder(), 'sites.csv')
  writeFileSync(file, `${Object.keys(SITE).join()}\n${Object.values(SITE).join()}\n`)
  await fleet.run('import', 'sites', '--org', String(sender.id), file)
  return sender
}

/** Resolves when each object has a trip that has ended. */
export async function untilDerived(sender: Sender, ids: readonly number[]): Promise<void> {
  await untilRecords(sender, async () => {
    const answer = await sender.get(`/trips?ids=${ids.join()}&${RANGE}`)
    const ended = resultOf(answer).filter(({ open }: Json) => !open)
    return ended.length === ids.length && untilOf(answer) !== undefined
  })
}

/** Resolves when something holds of the records. Looks again each time some have changed. */
export async function untilRecords(
  sender: Pick<Sender, 'get'>,
  holds: () => Promise<boolean>,
): Promise<void> {
  let { cursor } = resultOf(await sender.get('/changes?from=now&types=trips,stops,visits'))
  while (!(await holds())) {
    cursor = resultOf(await sender.get(`/changes?cursor=${cursor}&wait=2`)).cursor
  }
}

export function untilOf({ headers }: Answer): string | undefined {
  const until = headers['x-records-until']
  return Array.isArray(until) ? until[0] : until
}
