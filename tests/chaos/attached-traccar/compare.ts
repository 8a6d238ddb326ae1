import { openStore } from '../../../packages/server/src/run/compose.ts'
import { openTraccar } from '../../../packages/server/src/work/attach/traccar-source.ts'
import { isAcceptable, keyOf, type Sent } from './tracker.ts'

/** A device in the answer of `attach traccar`. */
export type Reported = {
  organization: number
  object: number
  device: number
  traccar: number
  here: number
  missing: number
  gone: number
  reasons: Record<string, number>
}

/** All positions of a Traccar whose times are in a range of SQL, such as `fixtime < '2026-11-30'`. */
export async function positionsIn(url: string, range = 'TRUE'): Promise<Sent[]> {
  const patience = { waitMs: 0, warn: () => {}, signal: new AbortController().signal }
  const source = await openTraccar(url, patience)
  const rows = await source.rows<Record<string, number | string>>(
    `SELECT deviceid, ${source.dialect.moment('fixtime')} AS at, ${source.dialect.flag('valid')} AS fix,
      latitude, longitude, accuracy FROM tc_positions WHERE ${range}`,
  )
  await source.close()
  return rows.map(({ deviceid, at, fix, latitude, longitude, accuracy }) => ({
    ...{ device: Number(deviceid), time: Date.parse(`${at}Z`), isValid: Number(fix) === 1 },
    ...{ place: [Number(latitude), Number(longitude)], accuracy: Number(accuracy) },
  }))
}

/**
 * Compares moment by moment what a Traccar has and what is stored. `known`: moments that the forward brought, or that Traccar has
 * deleted. `erased`: what was deleted here.
 */
export async function compare(
  url: string,
  folder: string,
  known: ReadonlySet<string>,
  erased: { device: number; from: number; to: number },
  devices: readonly Reported[],
) {
  const rows = await positionsIn(url)
  const isErased = ({ device, time }: Sent) =>
    device === erased.device && time >= erased.from && time <= erased.to
  const wanted = new Set(
    rows.filter((each) => isAcceptable(each) && !isErased(each)).map((each) => keyOf(each)),
  )
  const store = await openStore({ folder })
  const objects = new Map(devices.map((each) => [each.device, each]))
  const storedIn = async (device: number, range: { from: number; to: number }) => {
    const { organization, object } = objects.get(device)!
    const { positions, hidden } = await store.positions.storedIn(organization, object, range)
    return positions + hidden
  }
  const isHere = async (key: string) => {
    const [device, time] = key.split(' ').map(Number) as [number, number]
    return (await storedIn(device, { from: time, to: time })) === 1
  }
  let [missing, others] = [0, 0]
  for (const key of wanted) if (!(await isHere(key))) missing += 1
  for (const key of known) if (!wanted.has(key) && (await isHere(key))) others += 1
  const inErased = await storedIn(erased.device, erased)
  await store.close()
  const sum = (of: (each: Reported) => number) => devices.reduce((all, each) => all + of(each), 0)
  const reasons: Record<string, number> = {}
  for (const [reason, count] of devices.flatMap((each) => Object.entries(each.reasons))) {
    reasons[reason] = (reasons[reason] ?? 0) + count
  }
  const refused = Object.values(reasons).reduce((all, each) => all + each, 0)
  // The answer has no reason for those that were deleted here after they were taken.
  const deletedHere = rows.length - refused - wanted.size
  const most = rows.filter((each) => isAcceptable(each) && isErased(each)).length
  const here = sum((each) => each.here)
  return {
    traccar: rows.length,
    wanted: wanted.size,
    here,
    /** Stored and no longer, or never, in Traccar. */
    others,
    reasons,
    deletedHere,
    gone: sum((each) => each.gone),
    // These must be 0.
    missing,
    surplus: here - (wanted.size - missing) - others,
    inErased,
    uncounted: Math.abs(rows.length - sum((each) => each.traccar)),
    withoutReason: Math.max(0, deletedHere - most, -deletedHere),
  }
}
