/**
 * Reads a whole history and prints its memory use each time another `every` rows have arrived, as one JSON line:
 * `node --expose-gc count-history.ts <url> <id> <every>`, with FLEETGATE_API_KEY.
 */
import { Fleetgate } from '../../../packages/client/src/index.ts'

const [baseUrl, id, every] = process.argv.slice(2)
const client = new Fleetgate({ baseUrl: baseUrl!, apiKey: process.env.FLEETGATE_API_KEY! })
let rows = 0
for await (const row of client.positions.history(Number(id), {
  from: '2024-06-01',
  to: '2024-06-30',
})) {
  rows += 1
  if (row.id !== Number(id)) throw new Error(`a row of ${row.id}`)
  if (rows % Number(every) === 0) tell()
}

function tell(): void {
  const rssMb = process.memoryUsage.rss() / 2 ** 20
  globalThis.gc!()
  const heapMb = process.memoryUsage().heapUsed / 2 ** 20
  process.stdout.write(`${JSON.stringify({ rows, heapMb, rssMb })}\n`)
}
