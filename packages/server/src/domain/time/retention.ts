import type { Organization } from '../organization.ts'
import { DAY_MS } from './time.ts'

/**
 * Hidden positions are deleted a day later, and nothing is deleted within a day of a change of the
 * organization's settings. So a history that has begun is not disturbed, and a mistyped number can be
 * corrected.
 */
const GRACE_MS = DAY_MS

type Retained = Pick<Organization, 'retentionDays' | 'updatedAt'>

/** Positions from this `time_device` on are shown. Milliseconds since the epoch. */
export function shownFrom({ retentionDays }: Retained, now: number): number {
  return retentionDays === null ? 0 : Math.max(0, now - retentionDays * DAY_MS)
}

/** Positions before this `time_device` may be deleted; 0 if none may. */
export function purgeableBefore(organization: Retained, now: number): number {
  if (now - organization.updatedAt < GRACE_MS) return 0
  return Math.max(0, shownFrom(organization, now) - GRACE_MS)
}
