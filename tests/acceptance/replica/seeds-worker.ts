/** Runs each `STEP`th seed and reports it to its parent: `seeds-worker.ts KIND FIRST STEP END`. */
import { runSeeds, type SeedReport, type TrialKind } from './seeds.ts'

const kind = process.argv[2] as TrialKind
const [first, step, end] = process.argv.slice(3).map(Number) as [number, number, number]
const seeds = Array.from({ length: Math.ceil((end - first) / step) }, (_, at) => first + at * step)
await runSeeds(kind, seeds, (report: SeedReport) => void process.send!(report))
process.disconnect()
