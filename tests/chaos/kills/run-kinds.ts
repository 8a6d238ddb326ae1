import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { seeded } from '../../../packages/server/testing/random.ts'
import type { Finding, Trial } from '../part.ts'
import { type Course, type CourseOptions, newTally, type Tally } from './course.ts'
import { findingOf, type Judged, type Outcome, totals } from './judged.ts'
import { missingServer } from './shared-deployment.ts'

/** One kind of work that is killed. */
export type Kind = Judged & {
  open(options: CourseOptions): Promise<Course>
  /** Its number of kills in a full run. */
  share: number
}

type Job = { kind: Kind; number: number; kills: number }

/** Parallel courses: each spends most of its time waiting for disks and starts. */
const AT_ONCE = 3
/** The eras of one feed's packets last for this many kills. */
const MAX_OF_ONE = 100

/** Kills each kind of work by its share of `amount` kills, and judges each kind and all together. */
export async function runKinds(
  trial: Trial,
  kinds: readonly Kind[],
  amount: number,
): Promise<{ findings: Finding[]; tally: Tally }> {
  // Each child process has a listener that ends it with this process.
  process.setMaxListeners(100)
  const missing = missingServer()
  const tally = newTally()
  const whole = kinds.reduce((sum, { share }) => sum + share, 0)
  const jobs = kinds
    .filter(({ needsServers }) => !needsServers || missing === undefined)
    .flatMap((kind) => jobsOf(kind, Math.ceil((amount * kind.share) / whole)))
  const outcomes = new Map<Kind, Outcome[]>(kinds.map((kind) => [kind, []]))
  const worker = async (): Promise<void> => {
    for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) {
      outcomes.get(job.kind)!.push(await runJob(trial, job, tally))
      trial.progress(`${tally.kills} kills; ${job.kind.what} ${job.number} is done`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  const findings = kinds.map((kind) => findingOf(kind, outcomes.get(kind)!, missing))
  return {
    findings: [...findings, ...totals(tally, missing === undefined ? amount : 0)],
    tally,
  }
}

function jobsOf(kind: Kind, kills: number): Job[] {
  const count = Math.ceil(kills / MAX_OF_ONE)
  return Array.from({ length: count }, (_, number) => ({
    kind,
    number,
    kills: Math.floor((kills * (number + 1)) / count) - Math.floor((kills * number) / count),
  }))
}

async function runJob(trial: Trial, { kind, number, kills }: Job, tally: Tally): Promise<Outcome> {
  const folder = join(trial.folder, `${kind.what.replaceAll(/\W+/g, '-')}-${number}`)
  mkdirSync(folder)
  const random = seeded(trial.seed, kind.what, number)
  let done = 0
  let course: Course | undefined
  try {
    course = await kind.open({ folder, random, tally })
    for (; done < kills; done += 1) await course.kill()
    return { kills: done, sums: await course.finish(), fault: undefined }
  } catch (error) {
    return { kills: done, sums: {}, fault: `${error}`.slice(0, 400) }
  } finally {
    await course?.close().catch((error) => trial.progress(`${kind.what}: ${error}`))
  }
}
