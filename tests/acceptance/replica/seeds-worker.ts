/** Runs each `STEP`th seed and reports it to its parent: `seeds-worker.ts FIRST STEP END`. */
import { runSeeds, type SeedReport } from './seeds.ts'

const [first, step, end] = process.argv.slice(2).map(Number) as [number, number, number]
const seeds = Array.from({ length: Math.ceil((end - first) / step) }, (_, at) => first + at * step)
await runSeeds(seeds, (report: SeedReport) => void process.send!(report))
process.disconnect()
