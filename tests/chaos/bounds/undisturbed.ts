import type { Tenant } from '../../../bench/tenants.ts'
import type { ServerProcess } from '../../acceptance/harness/server.ts'
import { openHealthyLoad } from '../clients/healthy-load.ts'
import { inMegabytes, settledBytes, watchMemory } from '../clients/watched-process.ts'
import type { Finding } from '../part.ts'

const MAX_RATIO = 3
const MAX_ADDED_MS = 50
const MAX_GROWN_BYTES = 300 * 2 ** 20
const UNDISTURBED_MS = 10_000

/**
 * Runs an attack while other organizations send one hundred requests a second, after an undisturbed run of the same
 * load. The load needs at least 100 organizations, which have a rate window each. Returns whether their answers were right and in time, and how far the server's memory grew.
 */
export async function besideUndisturbed(
  name: string,
  server: ServerProcess,
  others: Tenant[],
  attack: () => Promise<void>,
): Promise<Finding[]> {
  await using load = openHealthyLoad(server.port, others)
  await load.figures()
  const rest = await settledBytes(server.pid)
  await load.figures()
  await new Promise((resolve) => setTimeout(resolve, UNDISTURBED_MS))
  const quiet = await load.figures()
  using memory = watchMemory(server.pid, rest)
  await attack()
  const during = await load.figures()
  const grown = memory.grown()
  const [fault] = during.faults
  return [
    {
      what: `${name}: requests of other organizations`,
      bar: `all right; p99 at most ${MAX_RATIO} times and ${MAX_ADDED_MS} ms above undisturbed`,
      measured: `${during.asked.toLocaleString('en')}, ${fault === undefined ? 'all right' : `wrong: ${fault}`}; p99 ${during.p99.toFixed(1)} ms, undisturbed ${quiet.p99.toFixed(1)} ms`,
      met:
        during.asked > 0 &&
        during.faults.length === 0 &&
        during.p99 <= MAX_RATIO * quiet.p99 &&
        during.p99 <= quiet.p99 + MAX_ADDED_MS,
    },
    {
      what: `${name}: the server's memory grows`,
      bar: `at most ${inMegabytes(MAX_GROWN_BYTES)}`,
      measured: inMegabytes(grown),
      met: grown <= MAX_GROWN_BYTES,
    },
  ]
}
