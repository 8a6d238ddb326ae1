/** Runs seeds one after the other, and reports each to its parent: `worker.ts FOLDER FIRST STEP END`. */
import { join } from 'node:path'
import { takeDisk } from './disk.ts'
import { makeTemplate, runSeed, type SeedOutcome } from './seed-trial.ts'

/** The message to the parent. */
export type SeedReport = SeedOutcome & { seed: number }

const [folder, ...numbers] = process.argv.slice(2) as [string, ...string[]]
const [first, step, end] = numbers.map(Number) as [number, number, number]
const disk = await takeDisk()
const template = join(folder, 'template')
await makeTemplate(template)
for (let seed = first; seed < end; seed += step) {
  const report: SeedReport = {
    seed,
    ...(await runSeed(seed, disk, template, join(folder, 'seed'))),
  }
  process.send!(report)
}
process.disconnect()
