import type { AddressInfo } from 'node:net'
import { inviteOperator } from '../admin/open-admin-api.ts'
import type { Store } from '../store/store.ts'
import { originOf, reachable } from './origin.ts'

/** Where the operator's browser goes; while no password is set, with the secret that lets one be set. */
export async function consoleLink(
  store: Store,
  { consoleUrl }: { consoleUrl?: string },
  address: AddressInfo,
): Promise<{ url: string; setup: string | null }> {
  const url = consoleUrl ?? originOf(reachable(address), false)
  return { url, setup: await inviteOperator(store, Date.now()) }
}
