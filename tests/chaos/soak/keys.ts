import { setTimeout as wait } from 'node:timers/promises'
import type { Tenant } from '../../../bench/tenants.ts'
import { fleetgateJson } from '../../acceptance/harness/fleetgate.ts'
import { count, type Faults } from './faults.ts'

const EVERY_MS = 10_000

/** Creates a key, uses it, revokes it and uses it again, repeatedly. */
export async function changeKeys(
  folder: string,
  api: string,
  { organization }: Tenant,
  faults: Faults,
  signal: AbortSignal,
): Promise<void> {
  const place = ['--data', folder, '--org', String(organization)]

  async function statusWith(key: string): Promise<number> {
    const answer = await fetch(`${api}/public/v1/sites`, { headers: { 'x-api-key': key } })
    return answer.status
  }

  async function useOne(): Promise<string | undefined> {
    const { id, key } = await fleetgateJson(['key', 'issue', ...place, '--name', 'soak'])
    const used = await statusWith(key)
    await fleetgateJson(['key', 'revoke', ...place, String(id)])
    const revoked = await statusWith(key)
    return used === 200 && revoked === 401 ? undefined : `${used}, and ${revoked} once revoked`
  }

  while (!signal.aborted) {
    const next = wait(EVERY_MS)
    count(faults, 'a new key', await useOne().catch((error) => `${error}`))
    await next
  }
}
