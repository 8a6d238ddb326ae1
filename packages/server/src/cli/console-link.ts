import type { AddressInfo } from 'node:net'
import { inviteOperator } from '../admin/open-admin-api.ts'
import type { Store } from '../store/store.ts'
import { originOf, reachable } from './origin.ts'

/** The console's address. While no password is set, it carries the secret of the setup link. */
export async function consoleLink(
  store: Store,
  { consoleUrl }: { consoleUrl?: string },
  address: AddressInfo,
): Promise<{ url: string; setup: string | null }> {
  const url = consoleUrl ?? originOf(reachable(address), false)
  return { url, setup: await inviteOperator(store, Date.now()) }
}
