import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { seeded } from '../../packages/server/src/demo/random.ts'
import type { Finding, Part, Trial } from '../part.ts'
import { backups } from './backup.ts'
import { type Course, type CourseOptions, newTally, type Tally } from './course.ts'
import { deletion } from './deletion.ts'
import { feedIntoFolder } from './feed.ts'
import { importing } from './importing.ts'
import { findingOf, type Judged, type Outcome, totals } from './judged.ts'
import { migration } from './migration.ts'
import { feedIntoPostgres, postgresItself } from './postgres.ts'
import { quotaCharges } from './quota.ts'
import { retention } from './retention.ts'
import { missingServer } from './shared-deployment.ts'

type Kind = Judged & {
  open(options: CourseOptions): Promise<Course>
  /** Of a thousand kills, how many. */
  share: number
}

/** The longest first, so that nobody has to wait for them alone at the end. */
const KINDS: Kind[] = [
  {
    what: 'import beside a server',
    bar: 'the first rows of the file stand; begun again, all, once',
    open: importing,
    share: 180,
  },
  {
    what: 'feed',
    bar: 'acknowledged = stored, exactly once; counters as in order',
    open: feedIntoFolder,
    share: 240,
  },
  {
    what: 'feed over PostgreSQL',
    bar: 'acknowledged = stored, exactly once; counters as in order',
    open: feedIntoPostgres,
    share: 80,
    needsServers: true,
  },
  {
    what: 'PostgreSQL itself under feed',
    bar: 'acknowledged = stored, exactly once; the server goes on',
    open: postgresItself,
    share: 40,
    needsServers: true,
  },
  {
    what: 'quota load',
    bar: 'no counter below what was answered, or above what was sent',
    open: quotaCharges,
    share: 200,
  },
  {
    what: 'migration, and the making of a folder',
    bar: 'before or after, never between; all rows shown',
    open: migration,
    share: 100,
  },
  {
    what: 'retention',
    bar: 'nothing expired is shown, nothing kept is gone; it is finished',
    open: retention,
    share: 60,
  },
  {
    what: 'deletion of an organization',
    bar: 'all or nothing of it; nothing of another',
    open: deletion,
    share: 40,
  },
  {
    what: 'backup beside a server that is fed',
    bar: 'no backup, or a whole one',
    open: backups,
    share: 60,
  },
]

const IN_ALL = { minutes: 60, hours: 1_000 }
/** Courses that go on at once: each waits for others' disks and starts most of the time. */
const AT_ONCE = 3
/** The eras of one feed's packets are good for so many. */
const MOST_OF_ONE = 100

export const part: Part = {
  name: 'kills',
  title: 'Kills',
  about: `Processes are ended by \`kill -9\`: servers that are fed, by batches and single packets, in
time and late; servers whose callers are charged; imports, backups, deletions and migrations at any moment
from their first instruction to their last; one in seven servers once more while it starts over what the
kill left. A write into the database file itself (a checkpoint) draws a kill at once. PostgreSQL's own
processes are killed under a server that goes on: one that serves a connection, or the first of all.

After each kill the next process is asked over HTTP what stands. What was acknowledged has to be there, once
and as it was sent; what was not may be there, whole, and sending all of it again must bring exactly the
rest. \`PRAGMA integrity_check\` has to find nothing. In the end counters and states must be what another
organization shows that was sent the same in order.

A kill of a process does not show what a power cut does: that all that is acknowledged was synced to the
disk is a test of its own, over a trace of the system calls.`,
  run,
}

type Job = { kind: Kind; number: number; kills: number }

async function run(trial: Trial): Promise<Finding[]> {
  const amount = trial.amount(IN_ALL)
  // Each process that runs is ended with this one, by a listener of its own.
  process.setMaxListeners(100)
  const missing = missingServer()
  const tally = newTally()
  const jobs = KINDS.filter(({ needsServers }) => !needsServers || missing === undefined).flatMap(
    (kind) => jobsOf(kind, Math.ceil((amount * kind.share) / 1_000)),
  )
  const outcomes = new Map<Kind, Outcome[]>(KINDS.map((kind) => [kind, []]))
  const worker = async (): Promise<void> => {
    for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) {
      outcomes.get(job.kind)!.push(await runJob(trial, job, tally))
      trial.progress(`${tally.kills} kills; ${job.kind.what} ${job.number} is done`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  return [
    ...KINDS.map((kind) => findingOf(kind, outcomes.get(kind)!, missing)),
    ...totals(tally, missing === undefined ? amount : 0),
  ]
}

function jobsOf(kind: Kind, kills: number): Job[] {
  const count = Math.ceil(kills / MOST_OF_ONE)
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
