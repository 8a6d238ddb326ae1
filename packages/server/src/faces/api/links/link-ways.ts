import { type SharedWork, sharedWork } from '../../../base/domain/common/shared-work.ts'
import type { Credential } from '../../../base/domain/credential.ts'
import { isReversed, UNLIMITED } from '../../../base/domain/grant.ts'
import { intervalsOf } from '../../../base/domain/granted-times.ts'
import { MAX_WAY_OBJECTS } from '../../../base/domain/link.ts'
import { shownFrom } from '../../../base/domain/organization.ts'
import { COORDINATE_SCALE } from '../../../base/domain/position/fix-record.ts'
import { latitudeIn, longitudeIn, timeIn } from '../../../base/domain/position/position-columns.ts'
import { rangeAt } from '../../../base/domain/time/ranges.ts'
import type { Clock, TimeRange } from '../../../base/domain/time/time.ts'
import type { FleetObject } from '../../../data/cache/fleet-objects.ts'
import { steppedHistory } from '../../../read/rows/object-history.ts'
import type { Sources } from '../../../read/rows/scoped-sources.ts'

/** Degrees, and milliseconds since the epoch. */
export type WayPoint = readonly [longitude: number, latitude: number, time: number]

/** The ways of the objects of a link, oldest point first, by the id of an object. `gone` ends the wait. */
export type LinkWays = (
  sources: Sources,
  link: Credential,
  objects: readonly FleetObject[],
  gone: AbortSignal,
) => Promise<(object: number) => readonly WayPoint[]>

/** Points of all ways of a link together. */
const MAX_POINTS = 2_000
const STEP_MS = 1_000
/** A way is read again after this time. Meanwhile viewers add the latest positions to it. */
const KEPT_MS = 30_000
/** Reading the ways of a link takes at most this share of the time. */
const READING_SHARE = 0.1
/** Links whose ways are in memory: some 100 kB each. */
const MAX_LINKS = 100
const NO_WAY: readonly WayPoint[] = []

/** Reads ways in the turns of reports, because a way may be a quarter of a year. */
export function openLinkWays(clock: Clock): LinkWays {
  /** `until`: infinite while it is being read. */
  type Kept = { until: number; ways: SharedWork<Map<number, readonly WayPoint[]>> }
  const kept = new Map<number, Kept>()

  return async (sources, link, objects, gone) => {
    const known = kept.get(link.id)
    if (known === undefined || clock.now() >= known.until) {
      const { api, fleet } = sources
      const began = clock.now()
      const shown = objects.slice(0, MAX_WAY_OBJECTS)
      const forget = () => {
        if (kept.get(link.id) === reading) kept.delete(link.id)
      }
      const ways = sharedWork((left) => {
        const read = () => readWays(sources, link, shown, left)
        return api.inReportTurn(fleet.organization.id, read, left)
      }, forget)
      const reading = { until: Number.POSITIVE_INFINITY, ways }
      const done = () => {
        const now = clock.now()
        reading.until = now + Math.max(KEPT_MS, (now - began) / READING_SHARE)
      }
      ways.result.then(done, forget)
      kept.delete(link.id)
      kept.set(link.id, reading)
      if (kept.size > MAX_LINKS) kept.delete(kept.keys().next().value!)
    }
    const ways = await kept.get(link.id)!.ways.wait(gone)
    return (object) => ways.get(object) ?? NO_WAY
  }
}

async function readWays(
  sources: Sources,
  link: Credential,
  objects: readonly FleetObject[],
  gone: AbortSignal,
): Promise<Map<number, readonly WayPoint[]>> {
  const { api, fleet } = sources
  const { organization } = fleet
  const ways = new Map<number, readonly WayPoint[]>()
  const atMost = Math.floor(MAX_POINTS / Math.max(objects.length, 1))
  for (const { object, state } of objects) {
    const newest = state.lastFix?.timeDevice
    if (newest === undefined) continue
    const from = Math.max(
      beginOf(link, object.id, newest),
      shownFrom(organization, object, api.clock.now()),
    )
    const range = { from: Math.min(from, newest), to: newest }
    ways.set(object.id, await readWay(sources, object.id, range, atMost, gone))
  }
  return ways
}

/** The begin of the interval that shows the newest position of an object. */
function beginOf({ scope, waySince }: Credential, object: number, newest: number): number {
  const own = (scope?.grants ?? [UNLIMITED])
    .filter(({ objects }) => objects?.includes(object) ?? true)
    .map((grant) => ({ ...grant, from: grant.from ?? waySince }))
    .filter((grant) => !isReversed(grant))
  return rangeAt(intervalsOf(own), newest)?.from ?? newest
}

/** The first position of each of `atMost` intervals of the range at most, and its last one. */
async function readWay(
  { api, fleet }: Sources,
  object: number,
  range: TimeRange,
  atMost: number,
  gone: AbortSignal,
): Promise<WayPoint[]> {
  const wanted = { mayLag: true, signal: gone }
  const every = await api.positions.history(fleet.organization.id, object, range, null, wanted)
  // A range touches one interval more than fits into it, and its last position is a point too.
  const steps = Math.ceil((range.to - range.from) / (atMost - 2) / STEP_MS)
  const stepMs = Math.max(1, steps) * STEP_MS
  const { blocks } = await steppedHistory(every, stepMs, null, null, gone)
  const way: WayPoint[] = []
  for await (const columns of blocks) {
    for (let row = 0; row < columns.rows; row += 1) {
      const at = [longitudeIn(columns, row), latitudeIn(columns, row)] as const
      way.push([at[0] / COORDINATE_SCALE, at[1] / COORDINATE_SCALE, timeIn(columns, row)])
    }
  }
  return way
}
