import type { Change } from '../types.ts'
import type { ReplicaProgress } from './replica-store.ts'

const DAY_MS = 86_400_000
/** Old positions are hidden at once, and dropped this often. */
export const DROP_EVERY_MS = 3_600_000

/** The first time whose positions are shown. Null: there is no limit. */
export function oldestShown(retentionDays: number | null, now: number): string | null {
  if (retentionDays === null) return null
  return new Date(Math.max(0, now - retentionDays * DAY_MS)).toISOString()
}

type Retentions = Pick<ReplicaProgress, 'retentionDays' | 'objectRetentionDays'>

/** The days for which positions of an object are shown. Null: no limit. */
export function daysOf(id: number, { retentionDays, objectRetentionDays }: Retentions) {
  const own = objectRetentionDays?.[id]
  return own === undefined ? retentionDays : Math.min(own, retentionDays ?? own)
}

/** The retentions of objects of their own, as the changes of a page leave them. `now`: milliseconds since the epoch. */
export function ownRetentions(before: ReplicaProgress | undefined, now: number) {
  const days = new Map(Object.entries(before?.objectRetentionDays ?? {}))
  const changed = new Set<string>()
  const { objectsDroppedAt: at } = before ?? {}
  const isDue = at === undefined || now - Date.parse(at) >= DROP_EVERY_MS

  return {
    take(change: Change): void {
      if (change.type === 'object' && change.op === 'delete') days.delete(String(change.id))
      if (change.type !== 'object_retention') return
      const id = String(change.id)
      if (change.days === null) days.delete(id)
      else days.set(id, change.days)
      changed.add(id)
    },
    /** The objects of which something is dropped now: what is older than `oldest`. */
    due(): { id: number; oldest: string }[] {
      return [...days].flatMap(([id, kept]) =>
        isDue || changed.has(id) ? { id: Number(id), oldest: oldestShown(kept, now)! } : [],
      )
    },
    /** Nothing if no object has a retention of its own. */
    kept(): Pick<ReplicaProgress, 'objectRetentionDays' | 'objectsDroppedAt'> {
      if (days.size === 0) return {}
      const droppedAt = isDue ? new Date(now).toISOString() : at
      return { objectRetentionDays: Object.fromEntries(days), objectsDroppedAt: droppedAt }
    },
  }
}
