import { DECIMALS, rounded } from '../api/encode/decimal.ts'
import { measure } from '../api/encode/object.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { FleetObject } from '../catalogue/fleet.ts'
import type { Clock } from '../domain/clock.ts'
import type { ObjectState } from '../domain/object-state.ts'
import type { DistanceUnit } from '../domain/organization.ts'
import { motionAt } from '../domain/signal.ts'
import type { LiveObject } from './documentation/schemas.ts'

/** The time between two looks at a watched fleet. */
const EVERY_MS = 250
/** Looks at a large fleet take longer, so they are rarer: at most this share of the time. */
const MOST_SHARE = 0.05

/** An update for watchers: new and moved objects, and removed ones. */
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
  watch(organization: number, told: (movement: Movement) => void, ended: () => void): () => void
  /** Ends all watches. */
  close(): void
}

type Watcher = { told: (movement: Movement) => void; ended: () => void; isNew: boolean }
type Watched = {
  watchers: Set<Watcher>
  known: Map<number, ObjectState['lastFix']>
  timer?: NodeJS.Timeout
}

export function openLive(
  catalogue: Catalogue,
  clock: Clock,
  failed: (error: unknown) => void,
): Live {
  const watched = new Map<number, Watched>()

  async function look(organization: number, of: Watched): Promise<void> {
    const beganAt = performance.now()
    try {
      await catalogue.catchUp()
      const fleet = await catalogue.fleetOf(organization)
      if (fleet === null) {
        for (const { ended } of of.watchers) ended()
        return
      }
      tell(of, await fleet.warm(), fleet.organization.distanceUnit)
    } catch (error) {
      failed(error)
    }
    const tookMs = performance.now() - beganAt
    if (of.watchers.size === 0) return
    const pauseMs = Math.max(EVERY_MS, tookMs / MOST_SHARE)
    of.timer = setTimeout(() => void look(organization, of), pauseMs)
  }

  function tell(of: Watched, objects: readonly FleetObject[], unit: DistanceUnit): void {
    const movement: Movement = { moved: [], gone: [] }
    const all: LiveObject[] = []
    const hasNew = [...of.watchers].some(({ isNew }) => isNew)
    const known = new Map<number, ObjectState['lastFix']>()
    const now = clock.now()
    for (const each of objects) {
      const { id } = each.object
      const { lastFix } = each.state
      if (lastFix === null) continue
      known.set(id, lastFix)
      const isMoved = !isSame(of.known.get(id), lastFix)
      if (!isMoved && !hasNew) continue
      const row = rowOf(each, unit, now)
      if (isMoved) movement.moved.push(row)
      if (hasNew) all.push(row)
    }
    for (const id of of.known.keys()) if (!known.has(id)) movement.gone.push(id)
    of.known = known
    for (const watcher of of.watchers) {
      if (watcher.isNew) watcher.told({ moved: all, gone: [] })
      else if (movement.moved.length > 0 || movement.gone.length > 0) watcher.told(movement)
      watcher.isNew = false
    }
  }

  return {
    watch(organization, told, ended) {
      const of: Watched = watched.get(organization) ?? { watchers: new Set(), known: new Map() }
      const watcher = { told, ended, isNew: true }
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
function isSame(
  before: ObjectState['lastFix'] | undefined,
  after: ObjectState['lastFix'],
): boolean {
  if (before === after) return true
  return (
    before?.timeDevice === after?.timeDevice &&
    before?.latitude === after?.latitude &&
    before?.longitude === after?.longitude
  )
}

function rowOf({ object, state }: FleetObject, unit: DistanceUnit, now: number): LiveObject {
  const fix = state.lastFix!
  return [
    object.id,
    rounded(fix.longitude, DECIMALS.coordinate)!,
    rounded(fix.latitude, DECIMALS.coordinate)!,
    fix.angle,
    measure(fix.speed, unit),
    motionAt(state, now),
    fix.timeDevice,
  ]
}
