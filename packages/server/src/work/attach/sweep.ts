import type { MonitoredObject } from '../../base/domain/monitored-object.ts'
import { type Organization, shownFrom } from '../../base/domain/organization.ts'
import { type Clock, DAY_MS, formatDate, utcDay } from '../../base/domain/time/time.ts'
import { movesByIdent, type TrackerMoves } from '../../base/domain/tracker-move.ts'
import type { Store } from '../../engine/store/store.ts'
import { foldRules } from '../../engine/tracking/rules/advance.ts'
import type { AttachState } from './attach-state.ts'
import { BadPlan, type Plan } from './plan.ts'
import { takeCatalogue } from './take-catalogue.ts'
import { type PositionParts, type ReadForwarded, takePositions } from './take-positions.ts'
import { SourceAway, type TraccarSource } from './traccar-source.ts'
import { readCatalogue, schemaVersion } from './traccar-tables.ts'

export type SweepParts = {
  source: TraccarSource
  /** Its writes to the catalogue are an operator's. Positions come in Traccar's name. */
  store: Store
  positions: Store['positions']
  state: AttachState
  read: ReadForwarded
  clock: Clock
  pace(rows: number): Promise<void>
  /** Gets the device whose positions are taken, and the rows so far. */
  onProgress(device: string, rows: number): void
  signal: AbortSignal
}

export type SweepOptions = {
  mirrorsDeletions: boolean
  /** Compares the last days alone; late positions of other days are found by a whole sweep. Null: all days. */
  days: number | null
}

/**
 * Compares Traccar with what was taken of it, and takes what is missing: the first time everything. Returns the number of
 * positions that were read.
 */
export async function sweep(
  parts: SweepParts,
  plan: Plan,
  { mirrorsDeletions, days }: SweepOptions,
): Promise<number> {
  const { source, store, state, clock, signal, onProgress } = parts
  const { now } = clock
  const version = await schemaVersion(source)
  const traccar = await readCatalogue(source)
  if (traccar.devices.length === 0) {
    throw new SourceAway(
      'Traccar has no devices; check that this is its database. Nothing was changed',
    )
  }
  const { attachment } = state
  const { timeZone } = plan
  if (attachment.timeZone !== null && attachment.timeZone !== timeZone) {
    throw new BadPlan(
      `time_zone is ${timeZone}, but positions were taken in ${attachment.timeZone}: set it back, or delete these positions and ${state.folder} to take them again`,
    )
  }
  const ended = attachment.sweep?.ended ?? null
  attachment.sweep = { begun: now(), ended, version }
  const targets = await takeCatalogue({ store, state, mirrorsDeletions, now }, plan, traccar)
  if (attachment.timeZone === null) {
    attachment.timeZone = timeZone
    await state.save()
  }
  const moves = new Map<number, TrackerMoves>()
  let rows = 0
  for (const { organization, object, device } of targets) {
    signal.throwIfAborted()
    const { id } = organization
    const target = await state.target(id, device)
    if (target === null) continue
    if (!moves.has(id)) moves.set(id, movesByIdent(await store.objects.trackerMoves(id)))
    const positionParts: PositionParts = {
      ...{ source, read: parts.read, pace: parts.pace, now, signal },
      store: { positions: parts.positions },
      rules: foldRules(clock),
      timeZone,
      saveTarget: state.saveTarget,
      onRows(count) {
        rows += count
        onProgress(target.name, rows)
      },
    }
    const isTaken = await takePositions(
      positionParts,
      organization,
      moves.get(id)!,
      target,
      since(organization, object, days, now()),
    )
    if (isTaken) continue
    const about = `device ${target.ident} (${target.name})`
    const problem = 'its object was deleted here and is not created again'
    attachment.remarks.push({ organization: organization.name, about, problem })
  }
  attachment.sweep.ended = now()
  await state.save()
  return rows
}

/** The first day that is compared. Days before the retention of the organization or of the object are not taken. */
function since(
  organization: Organization,
  object: MonitoredObject,
  days: number | null,
  now: number,
): string {
  const from = Math.max(
    shownFrom(organization, object, now),
    days === null ? 0 : now - days * DAY_MS,
  )
  return from === 0 ? '' : formatDate(utcDay(from))
}
