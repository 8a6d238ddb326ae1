import { DECIMALS, measure, rounded } from '../../api/encode/numbers.ts'
import type { Directory } from '../../directory/directory.ts'
import type { FleetObject } from '../../directory/fleet-object.ts'
import type { DistanceUnit, Organization } from '../../domain/organization.ts'
import type { Fix } from '../../domain/position/fix.ts'
import { type CurrentMotion, motionAt } from '../../domain/position/signal.ts'
import type { Clock } from '../../domain/time/clock.ts'
import type { LiveObject } from '../documentation/schemas.ts'

/** The time between two looks at a watched fleet. */
const EVERY_MS = 250
/** Looks at a large fleet take longer, so they are rarer: at most this share of the time. */
const MAX_SHARE_OF_TIME = 0.05

/** An update for watchers: new objects, those whose place or motion changed, and removed ones. */
export type Movement = { moved: LiveObject[]; gone: number[] }

/**
 * Watches the places of organizations' objects. One look at a fleet serves all its watchers, and an
 * unwatched organization costs nothing.
 */
export type Live = {
  /**
   * Sends all objects with a position first. Returns a function that ends the watch. `ended` is called
   * when the organization is deleted.
   */
  watch(organization: number, notify: (movement: Movement) => void, ended: () => void): () => void
  /** Ends all watches. */
  close(): void
}

type Watcher = { notify: (movement: Movement) => void; ended: () => void; isNew: boolean }
/** The watchers were last sent this of an object. */
type Known = { lastFix: Fix; motion: CurrentMotion }
type Watched = {
  watchers: Set<Watcher>
  known: Map<number, Known>
  timer?: NodeJS.Timeout
}

export function openLive(
  directory: Directory,
  clock: Clock,
  failed: (error: unknown) => void,
): Live {
  const watched = new Map<number, Watched>()

  async function look(organization: number, of: Watched): Promise<void> {
    const beganAt = performance.now()
    try {
      await directory.catchUp()
      const fleet = await directory.fleetOf(organization)
      if (fleet === null) {
        for (const { ended } of of.watchers) ended()
        return
      }
      notifyWatchers(of, await fleet.warm(), fleet.organization)
    } catch (error) {
      failed(error)
    }
    const tookMs = performance.now() - beganAt
    if (of.watchers.size === 0) return
    const pauseMs = Math.max(EVERY_MS, tookMs / MAX_SHARE_OF_TIME)
    of.timer = setTimeout(() => void look(organization, of), pauseMs)
  }

  function notifyWatchers(
    of: Watched,
    objects: readonly FleetObject[],
    organization: Organization,
  ): void {
    const { distanceUnit, signalTimeoutHours } = organization
    const movement: Movement = { moved: [], gone: [] }
    const all: LiveObject[] = []
    const hasNew = [...of.watchers].some(({ isNew }) => isNew)
    const known = new Map<number, Known>()
    const now = clock.now()
    for (const each of objects) {
      const { id } = each.object
      const { lastFix } = each.state
      if (lastFix === null) continue
      const motion = motionAt(each.state, now, signalTimeoutHours)
      const before = of.known.get(id)
      const isMoved = before?.motion !== motion || !isSame(before.lastFix, lastFix)
      known.set(id, isMoved ? { lastFix, motion } : before)
      if (!isMoved && !hasNew) continue
      const row = rowOf(id, lastFix, motion, distanceUnit)
      if (isMoved) movement.moved.push(row)
      if (hasNew) all.push(row)
    }
    for (const id of of.known.keys()) if (!known.has(id)) movement.gone.push(id)
    of.known = known
    for (const watcher of of.watchers) {
      if (watcher.isNew) watcher.notify({ moved: all, gone: [] })
      else if (movement.moved.length > 0 || movement.gone.length > 0) watcher.notify(movement)
      watcher.isNew = false
    }
  }

  return {
    watch(organization, notify, ended) {
      const of: Watched = watched.get(organization) ?? { watchers: new Set(), known: new Map() }
      const watcher = { notify, ended, isNew: true }
      of.watchers.add(watcher)
      if (!watched.has(organization)) {
        watched.set(organization, of)
        void look(organization, of)
      }
      return () => {
        of.watchers.delete(watcher)
        if (of.watchers.size > 0) return
        clearTimeout(of.timer)
        if (watched.get(organization) === of) watched.delete(organization)
      }
    },
    close() {
      for (const of of watched.values()) {
        clearTimeout(of.timer)
        for (const { ended } of [...of.watchers]) ended()
      }
      watched.clear()
    },
  }
}

/** Without a packet the object is the same. Read again, it has the same values. */
function isSame(before: Fix, after: Fix): boolean {
  if (before === after) return true
  return (
    before.timeDevice === after.timeDevice &&
    before.latitude === after.latitude &&
    before.longitude === after.longitude
  )
}

function rowOf(id: number, fix: Fix, motion: CurrentMotion, unit: DistanceUnit): LiveObject {
  return [
    id,
    rounded(fix.longitude, DECIMALS.coordinate)!,
    rounded(fix.latitude, DECIMALS.coordinate)!,
    fix.angle,
    measure(fix.speed, unit),
    motion,
    fix.timeDevice,
  ]
}
