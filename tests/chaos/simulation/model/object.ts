import { type Driven, type DriveSettings, driveThrough, type ModelFix } from './drive.ts'

/** An object, and all its accepted fixes, ordered by device time. */
export type ModelObject = DriveSettings & {
  id: number
  ident: string
  name: string
  address: string | null
  fixes: ModelFix[]
  /** The arrival of its last packet, including rejected ones. */
  heardAt: number | null
  /**
   * The newest deleted fix, -1 for none. It remains hidden in the store, because the counters of later fixes
   * build on its own. Older fixes may arrive after the clock was set back.
   */
  purgedThrough: number
}

/** An unknown device creates an object with default settings. */
export function newObject(ident: string): ModelObject {
  return {
    id: 0,
    ident,
    name: ident,
    address: null,
    minimumDifferencePoint: 0,
    odometerType: 'system',
    odometer: null,
    engineHours: null,
    fixes: [],
    heardAt: null,
    purgedThrough: -1,
  }
}

export type Outcome = 'stored' | 'duplicate' | 'conflict' | { rejected: string }

const DAY_MS = 86_400_000
const MAXIMUM_HDOP = 10

/** The result of a packet within the retention of its organization. */
export function takeFix(object: ModelObject, fix: ModelFix, now: number): Outcome {
  object.heardAt = Math.max(object.heardAt ?? 0, fix.timeServer)
  const reason = reasonToReject(fix, now)
  if (reason !== undefined) return { rejected: reason }
  const { fixes, purgedThrough } = object
  // A deleted fix makes no later one a duplicate.
  if (fix.timeDevice < purgedThrough) return { rejected: 'beyond_retention' }
  const place = fixes.findIndex(({ timeDevice }) => timeDevice >= fix.timeDevice)
  const existing = fixes[place]?.timeDevice === fix.timeDevice ? fixes[place] : undefined
  if (existing !== undefined && isSame(existing, fix)) return 'duplicate'
  if (existing !== undefined && existing.hdop <= fix.hdop) return 'conflict'
  if (fix.timeDevice === purgedThrough) return { rejected: 'beyond_retention' }
  const at = place === -1 ? fixes.length : place
  fixes.splice(at, existing === undefined ? 0 : 1, fix)
  drives.delete(object)
  return existing === undefined ? 'stored' : 'conflict'
}

/** A packet that is older than the retention of its organization is a sign of life too. */
export function refuseBeyond(object: ModelObject, fix: ModelFix, now: number): Outcome {
  object.heardAt = Math.max(object.heardAt ?? 0, fix.timeServer)
  return { rejected: reasonToReject(fix, now) ?? 'beyond_retention' }
}

function reasonToReject(fix: ModelFix, now: number): string | undefined {
  if (fix.timeDevice > now + DAY_MS) return 'in_future'
  if (Math.abs(fix.latitude) > 90) return 'out_of_range'
  if (fix.latitude === 0 && fix.longitude === 0) return 'no_fix'
  return fix.hdop > MAXIMUM_HDOP ? 'hdop_above_maximum' : undefined
}

function isSame(a: ModelFix, b: ModelFix): boolean {
  return JSON.stringify({ ...a, timeServer: 0 }) === JSON.stringify({ ...b, timeServer: 0 })
}

const drives = new WeakMap<ModelObject, Driven[]>()

function driveOf(object: ModelObject): Driven[] {
  let drive = drives.get(object)
  if (drive === undefined) {
    drive = driveThrough(object.fixes, object)
    drives.set(object, drive)
  }
  return drive
}

/** The rows of a closed range of device times in the history. `keptFrom`: older rows are hidden. */
export function shownRows(
  object: ModelObject,
  range: { from: number; to: number },
  keptFrom: number,
): Driven[] {
  const from = Math.max(range.from, keptFrom, object.purgedThrough + 1)
  return driveOf(object).filter(
    ({ fix, shown }) => shown && fix.timeDevice >= from && fix.timeDevice <= range.to,
  )
}

/** The present state of the object. */
export type ModelState = {
  last: ModelFix | null
  newest: Driven | null
  heardAt: number | null
  lastMove: number | null
  lastIdle: number | null
  lastStop: number | null
  address: string | null
}

export function stateOf(object: ModelObject): ModelState {
  const drive = driveOf(object)
  const lastOf = (is: (driven: Driven) => boolean) => drive.findLast(is)?.fix.timeDevice ?? null
  const addressed = object.fixes.findLast(({ address }) => address !== null)
  return {
    last: object.fixes.at(-1) ?? null,
    newest: drive.at(-1) ?? null,
    heardAt: object.heardAt,
    lastMove: lastOf(({ motion }) => motion === 'moving'),
    lastIdle: lastOf(({ motion }) => motion === 'idle'),
    lastStop: lastOf(({ motion }) => motion === 'stopped'),
    address: addressed?.address ?? object.address,
  }
}
