import { DAY_MS, formatDate, utcDay } from '../../base/domain/time/time.ts'
import type { Store } from '../../engine/store/store.ts'
import { EARLIEST } from '../import/position-row.ts'
import type { AttachState, Reasons, Target } from './attach-state.ts'
import type { TraccarSource } from './traccar-source.ts'
import { attributesAtEnd } from './traccar-tables.ts'

/** A device in Traccar and here. Distances in km. */
export type DeviceReport = {
  organization: number
  object: number
  device: number
  name: string
  ident: string
  /** Positions of Traccar that were compared, and those that are stored here, hidden ones included. */
  traccar: number
  here: number
  /** Positions of Traccar that are not stored here, by reason. */
  reasons: Reasons
  /** Positions that are stored here, and that Traccar has deleted since. */
  gone: number
  unread: Reasons
  /** The growth of Traccar's own `totalDistance`. Null: it is unknown, or was not asked for. */
  traccarKm: number | null
  hereKm: number | null
}

/** Compares each device that was taken. `source`: where Traccar's distances are asked for. */
export async function reportOf(
  { positions }: Pick<Store, 'positions'>,
  state: AttachState,
  source: TraccarSource | null,
  now: number,
): Promise<DeviceReport[]> {
  const reports: DeviceReport[] = []
  const all = { from: 0, to: now + AHEAD_MS }
  for await (const target of state.targets()) {
    const { organization, object, device, name, ident, gone, unread } = target
    const stored = await positions.storedIn(organization, object, all)
    const fold = (await positions.states(organization, [object])).get(object)?.fold ?? null
    reports.push({
      ...{ organization, object, device, name, ident, gone, unread },
      ...sumsOf(target),
      here: stored.positions + stored.hidden,
      traccarKm: source === null ? null : await distanceOf(source, device, now),
      hereKm: fold === null || fold.odometer === null ? null : fold.odometer / MM_IN_KM,
    })
  }
  return reports
}

const MM_IN_KM = 1_000_000

/** Positions may be ahead of the clock, as far as an organization allows. */
const AHEAD_MS = DAY_MS

function sumsOf({ days }: Target): { traccar: number; reasons: Reasons } {
  const reasons: Reasons = {}
  let traccar = 0
  for (const [count, , refused] of Object.values(days)) {
    traccar += count
    for (const [reason, times] of Object.entries(refused ?? {})) {
      reasons[reason] = (reasons[reason] ?? 0) + times
    }
  }
  return { traccar, reasons }
}

/** The kilometers by which a device's `totalDistance` grew. Clocks that are wrong for years are left out. */
async function distanceOf(
  source: TraccarSource,
  device: number,
  now: number,
): Promise<number | null> {
  const dateOf = (time: number) => formatDate(utcDay(time))
  const range = [dateOf(EARLIEST), dateOf(now + AHEAD_MS)] as const
  const [first, last] = [
    await attributesAtEnd(source, device, range, 'ASC'),
    await attributesAtEnd(source, device, range, 'DESC'),
  ].map((attributes) => attributes?.totalDistance)
  return typeof first === 'number' && typeof last === 'number' ? (last - first) / 1000 : null
}
