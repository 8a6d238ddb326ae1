import { fork } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { openLocalHost } from './local-host.ts'
import { requestFolds } from './operations/catalogue.ts'
import { editGrants } from './operations/grants.ts'
import { drive, driveFar, sendAtEnds, sendConflict, sendLate } from './operations/packets.ts'
import {
  backUpOrRestore,
  changeAttributes,
  derive,
  letDaysPass,
  letExpire,
} from './operations/upkeep.ts'
import { runTrial } from './trial.ts'

/** Organizations of a data folder. With more, restarts and backups would take most of the time. */
const SEEDS_OF_HOST = 25

/** Values of a catalogue that is edited again and again. */
const EDITED = [drive, changeAttributes, sendLate, changeAttributes, sendConflict, changeAttributes]

/**
 * Seldom at random: a backup that is restored, late positions of a long drive that waits for a fold, days, and edits of the
 * catalogue while copies follow.
 */
const PLANS = [
  [backUpOrRestore, backUpOrRestore],
  [driveFar, sendLate, requestFolds, sendLate, sendLate, requestFolds],
  [letDaysPass, letDaysPass, letDaysPass],
  [...EDITED, ...EDITED],
]

/** Records that leave the ranges of keys, and come into them. */
const AT_ENDS = [sendAtEnds, derive, sendAtEnds, sendLate, derive, sendAtEnds, derive, sendAtEnds]

/** Records that are under way in the ranges of keys, and end and expire between two pages. */
const EXPIRING = [derive, sendAtEnds, derive, letExpire, sendAtEnds, derive, letExpire]

const RANGE_PLANS = [AT_ENDS, AT_ENDS, EXPIRING]

/** Late positions at the edges of grants, and other grants while copies follow. */
const GRANT_PLANS = [AT_ENDS, [...AT_ENDS, editGrants, sendAtEnds, editGrants], EXPIRING]

/** `ranges`: all clients have keys with a range of time, or (`grants`) with several grants. */
export type TrialKind = 'any' | 'ranges' | 'grants'

/** A seed that has ended, and why it failed. */
export type SeedReport = { seed: number; failure: string | null }

/** Runs seeds one after the other, in this process. */
export async function runSeeds(
  kind: TrialKind,
  seeds: Iterable<number>,
  report: (report: SeedReport) => void,
): Promise<void> {
  const left = [...seeds]
  while (left.length > 0) {
    const host = await openLocalHost()
    for (let count = 0; count < SEEDS_OF_HOST && left.length > 0; count += 1) {
      const seed = left.shift()!
      const isRanged = kind !== 'any'
      const hasGrants = kind === 'grants'
      const plans = hasGrants ? GRANT_PLANS : isRanged ? RANGE_PLANS : PLANS
      const planned = plans[seed % plans.length]!
      const failure = await runTrial(seed, host, { planned, isRanged, hasGrants }).then(
        () => null,
        textOf,
      )
      report({ seed, failure })
      // A failed trial may leave anything behind.
      if (failure !== null) break
    }
    await host.close()
  }
}

function textOf({ message, cause, stack }: Error): string {
  return `${message}\n${cause instanceof Error ? cause.stack : stack}`
}

/** Runs the seeds from `first` on, on all processors. */
export async function runSeedsEverywhere(
  kind: TrialKind,
  first: number,
  count: number,
  report: (report: SeedReport) => void,
): Promise<void> {
  const workers = Math.min(Number(process.env.WORKERS ?? availableParallelism()), count)
  await Promise.all(
    Array.from({ length: workers }, async (_, index) => {
      const args = [kind, ...[first + index, workers, first + count].map(String)]
      const worker = fork(join(import.meta.dirname, 'seeds-worker.ts'), args)
      worker.on('message', report)
      const [code] = await once(worker, 'exit')
      if (code !== 0) throw new Error(`a worker ended with ${code}`)
    }),
  )
}
