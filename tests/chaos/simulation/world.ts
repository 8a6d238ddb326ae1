import type { Random } from '../../../packages/server/testing/random.ts'
import type { Replica } from '../../acceptance/harness/following/replica.ts'
import type { SetClock } from './clock.ts'
import type { Deployment } from './deployment.ts'
import type { Disk } from './disk.ts'
import type { ModelOrganization } from './model/organization.ts'
import type { QuotaModel } from './model/quota.ts'

/** The shared state of the events of one seed: the real parts, their model, and randomness. */
export type World = {
  readonly random: Random
  readonly clock: SetClock
  readonly disk: Disk
  /** The server's present life. */
  deployment: Deployment
  /** Starts another life on the present content of the disk, without a shutdown of this one. */
  revive(power: boolean): Promise<void>
  readonly organizations: ModelOrganization[]
  readonly quota: QuotaModel
  /** Whether the counters can be written. */
  countersUp: boolean
  /** The length of the quota journal. */
  journalBytes(): number
  /** Histories that are read page by page. */
  readonly pagings: Paging[]
  /** A reader of `/changes` of each organization. */
  readonly readers: Map<number, ChangesReader>
  /** UTC days of the clock so far: the counters of three are kept. */
  readonly days: Set<number>
  readonly counts: Counts
  /** Reports that the parts deviate from the model. */
  fault(what: string): void
}

/** A history with some pages already read. */
export type Paging = {
  organization: number
  object: number
  range: { from: number; to: number }
  /** The link to the next page. */
  link: string
  /** The device time of the last returned row. */
  after: number
}

/** A client that has read changes from the history on. */
export type ChangesReader = {
  /** Null before the first page. */
  cursor: string | null
  /** The distance unit of the cursor. */
  unit: 'km' | 'mi'
  /** Whether the snapshot is behind it. */
  isInLog: boolean
  /** The highest device time before which positions were hidden when a page was made. */
  hiddenBefore: number
  replica: Replica
}

/** Counts of events. */
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
