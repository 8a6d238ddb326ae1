import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempDisposableSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { Finding, Part, Trial } from '../part.ts'
import type { SeedReport } from './worker.ts'
import { type Counts, noCounts } from './world.ts'

const ABOUT = `
Each seed is a small deployment of the real parts, in one process: the embedded store, the rate window, the quota and its journal,
the catalogue, the feed and the API with Node's HTTP parser, over a simulated clock. The seed draws some thirty events: packets in
order, late, repeated, broken, from the future and from two trackers at once; histories page by page, with cursors that are
followed much later; changes from the history on, page by page; latest positions, details, lists; commands by the server's own
store and by another process's; keys that end or are revoked; quotas, units, subscriptions and retention that change. The clock
stops, jumps a month ahead, steps back, crosses midnights and the ends of months. Answers are lost and requests break off, so that
senders repeat them. The disk is full, read-only or cannot sync for a while. The process is killed and the power cut while requests
are under way: what was written and never reported as safe is then cut off at any byte, has bits flipped, or zeros in it, and the
server continues with what is left.

Every answer is compared with a model that was written for this, of arrays and plain sums over them:

- an acknowledged packet is stored exactly once;
- histories and their pages have its rows and no other;
- ten requests and never eleven are admitted in ten seconds, and \`Retry-After\` is right to the second;
- charges are all or none and exact to a hundredth of a unit;
- the pages of changes add up to the histories;
- nobody sees data of another organization;
- the latest position, motion and counters are those of the packets added up from the first to the last.

The model takes three things as documented. A process forgets the rate window when it ends. A power cut may take the quota charges
since the journal was last rewritten, because the second after which it is synced does not pass here. Where a distance is within a
fifty-thousandth of a threshold, the server's formula decides. The seeds of a run are its \`--seed\` and those after it:
\`npm run chaos -- --only simulation --seed N\` begins with N.
`

/** Runs the parts of one process on a clock, a disk and a network that fail. */
export const part: Part = {
  name: 'simulation',
  title: 'Simulation: clock, disk and network that misbehave',
  summary: 'The whole server runs on a simulated clock, disk and network that misbehave.',
  about: ABOUT,
  run: simulate,
}

/** The number of seeds shown with their faults; the others are shown without. */
const FAULTS_SHOWN = 5
const SEEDS_SHOWN = 100

async function simulate(trial: Trial): Promise<Finding[]> {
  const many = trial.amount({ minutes: 1_000, hours: 100_000 })
  const counts = noCounts()
  const failed: { seed: number; fault: string }[] = []
  let done = 0
  await runSeeds(trial, many, ({ seed, faults, counts: its }) => {
    for (const name of Object.keys(counts) as (keyof Counts)[]) counts[name] += its[name]
    if (faults.length > 0) {
      failed.push({ seed, fault: faults[0]! })
      trial.progress(`seed ${seed}: ${faults[0]}`)
    }
    done += 1
    if (done % Math.ceil(many / 10) === 0) trial.progress(`${done} of ${many} seeds`)
  })
  const { requests, packets, kills, powerCuts, outages } = counts
  return [
    {
      what: 'seeds in which an answer was not that of the model',
      bar: `none of ${grouped(many)}`,
      measured: failed.length === 0 ? 'none' : `${grouped(failed.length)}: ${seedsOf(failed)}`,
      met: failed.length === 0 && done === many,
    },
    {
      what: 'what they held',
      bar: '',
      measured:
        `${grouped(requests)} requests, ${grouped(packets)} packets, ${grouped(kills)} kills, ` +
        `${grouped(powerCuts)} power cuts, ${grouped(outages)} outages of the disk`,
      met: true,
    },
    ...failed
      .sort((a, b) => a.seed - b.seed)
      .slice(0, FAULTS_SHOWN)
      .map(({ seed, fault }) => ({ what: fault, bar: 'none', measured: 'once', met: false, seed })),
  ]
}

/** Distributes the seeds over the processors. A crash of a process ends its share of seeds. */
async function runSeeds(
  { seed, folder }: Trial,
  many: number,
  onReport: (report: SeedReport) => void,
): Promise<void> {
  // In memory if possible: the simulated disk decides on durability anyway.
  const memory = '/dev/shm'
  using place = mkdtempDisposableSync(
    join(existsSync(memory) ? memory : folder, 'fleetgate-simulation-'),
  )
  const workers = Math.min(availableParallelism(), many)
  await Promise.all(
    Array.from({ length: workers }, async (_, index) => {
      const own = join(place.path, String(index))
      const args = [own, seed + index, workers, seed + many].map(String)
      const worker = fork(join(import.meta.dirname, 'worker.ts'), args)
      let next = seed + index
      worker.on('message', (report: SeedReport) => {
        next = report.seed + workers
        onReport(report)
      })
      const [[code]] = await Promise.all([once(worker, 'exit'), once(worker, 'disconnect')])
      if (next >= seed + many) return
      const fault = `the process ended with exit code ${code}`
      onReport({ seed: next, faults: [fault], counts: noCounts() })
    }),
  )
}

function seedsOf(failed: readonly { seed: number }[]): string {
  const seeds = failed.map(({ seed }) => seed).sort((a, b) => a - b)
  const more = seeds.length > SEEDS_SHOWN ? ' and more' : ''
  return seeds.slice(0, SEEDS_SHOWN).join(', ') + more
}

function grouped(count: number): string {
  return count.toLocaleString('en-US')
}
