import { resultOf } from '../harness/envelope.ts'
import type { Fleet } from '../harness/fleet.ts'
import { type Sender, senderWith } from '../harness/sender.ts'
import { untilRecords } from '../trips/records-fleet.ts'
import { CATALOGUE, refrigeratedDay } from './refrigerated-day.ts'

export const NAMES = ['door', 'driver', 'fuel_used', 'temperature']

/** An organization with the day of a refrigerated van and a public catalogue of its attributes. */
export async function refrigerated(fleet: Fleet, ident = 'R-1'): Promise<Sender & { van: number }> {
  const day = refrigeratedDay(ident)
  const sender = await senderWith(
    fleet,
    day.map(({ row }) => row),
  )
  await setCatalogue(fleet, sender)
  return { ...sender, van: sender.ids[0]! }
}

export async function setCatalogue(fleet: Fleet, { id }: Pick<Sender, 'id'>): Promise<void> {
  const org = ['--org', String(id)]
  for (const [name, ...options] of CATALOGUE) {
    await fleet.run('attributes', 'set', name, ...org, '--is-public', ...options)
  }
}

/** Resolves when the records of the day are there. */
export async function untilTrips(sender: Sender, count: number, range: string): Promise<void> {
  await untilRecords(sender, async () => {
    const trips = resultOf(await sender.get(`/trips?${range}`))
    return trips.filter(({ open }: { open: boolean }) => !open).length >= count
  })
}
