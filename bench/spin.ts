/**
 * `node bench/spin.ts MS`: only watches the clock for this time, and prints as a JSON array by how many
 * milliseconds it missed each due time of a request. These delays come from the machine, not from a server.
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
