/**
 * `node bench/spin.ts MS`: does nothing for so long but look at the clock, and prints as a JSON array by
 * how many milliseconds it came late to each moment in which a request would have been due. What is late
 * here is late by the machine, whatever it serves.
 */
import { INTERVAL_MS } from './open-loop.ts'
import { pin, SERVER_PROCESSOR } from './processor.ts'

pin(process.pid, SERVER_PROCESSOR)
const lateMs: number[] = []
const end = performance.now() + Number(process.argv[2])
for (let dueAt = performance.now(); dueAt < end; dueAt += INTERVAL_MS) {
  while (performance.now() < dueAt);
  lateMs.push(performance.now() - dueAt)
}
process.stdout.write(JSON.stringify(lateMs))
