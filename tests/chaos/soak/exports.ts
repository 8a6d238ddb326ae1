import { setTimeout as wait } from 'node:timers/promises'
import { readHistory } from '../../../bench/read-history.ts'
import { historyPath } from '../../../bench/requests.ts'
import type { Install } from '../clients/install.ts'
import { count, type Faults } from './faults.ts'

const EVERY_MS = 5_000

/** Reads whole histories one after the other, compressed and plain, until it is stopped. */
export async function exportOn(
  port: number,
  { long, rows }: Install,
  faults: Faults,
  signal: AbortSignal,
): Promise<void> {
  for (let turn = 0; !signal.aborted; turn += 1) {
    const next = wait(EVERY_MS)
    const tenant = long[turn % long.length]!
    const coding = turn % 2 === 0 ? 'gzip' : 'identity'
    const fault = await readHistory({
      port,
      path: historyPath(tenant, rows),
      key: tenant.key,
      coding,
    }).then(
      (answer) => (answer.rows === rows ? undefined : `${answer.rows} rows`),
      (error) => `${error}`,
    )
    count(faults, `export, ${coding}`, fault)
    await next
  }
}
