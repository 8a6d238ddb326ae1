import type { Random } from '../../packages/server/src/demo/random.ts'
import type { SetClock } from './clock.ts'
import type { Deployment } from './deployment.ts'
import type { Disk } from './disk.ts'
import type { ModelOrganization } from './model/organization.ts'
import type { QuotaModel } from './model/quota.ts'

/** What the events of one seed share: the real parts, the model that they are held against, and chance. */
export type World = {
  readonly random: Random
  readonly clock: SetClock
  readonly disk: Disk
  /** The server's present life. */
  deployment: Deployment
  /** Starts another life over what the disk holds after this one, which has ended without notice. */
  revive(power: boolean): Promise<void>
  readonly organizations: ModelOrganization[]
  readonly quota: QuotaModel
  /** Whether the counters can be written. */
  countersUp: boolean
  /** How long the journal of the quota is. */
  journalBytes(): number
  /** Histories that are being read page by page. */
  readonly pagings: Paging[]
  /** UTC days that the clock has been on: the counters of three are kept. */
  readonly days: Set<number>
  readonly counts: Counts
  /** Notes that the parts did not what the model says. */
  fault(what: string): void
}

/** A history, of which some pages have been read. */
export type Paging = {
  organization: number
  object: number
  range: { from: number; to: number }
  /** The link to the next page. */
  link: string
  /** The device time of the last row given. */
  after: number
}

/** How much was done. */
export type Counts = {
  requests: number
  packets: number
  kills: number
  powerCuts: number
  outages: number
}

export function noCounts(): Counts {
  return { requests: 0, packets: 0, kills: 0, powerCuts: 0, outages: 0 }
}
