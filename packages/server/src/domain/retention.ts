import type { Organization } from './organization.ts'
import { DAY_MS } from './time.ts'

/**
 * What is no longer shown is deleted a day later, and nothing is within a day of a change of the
 * organization's settings: a history that began before goes on undisturbed, and a number that was
 * mistyped can be taken back.
 */
const GRACE_MS = DAY_MS

type Retained = Pick<Organization, 'retentionDays' | 'updatedAt'>

/** The `time_device` from which on an organization's positions are shown; milliseconds. */
export function shownFrom({ retentionDays }: Retained, now: number): number {
  return retentionDays === null ? 0 : Math.max(0, now - retentionDays * DAY_MS)
}

/** The `time_device` before which positions may be deleted; 0 where none may. */
export function purgeableBefore(organization: Retained, now: number): number {
  if (now - organization.updatedAt < GRACE_MS) return 0
  return Math.max(0, shownFrom(organization, now) - GRACE_MS)
}
