import { isDeepStrictEqual } from 'node:util'
import type { AdminApi } from '../../admin/admin-api.ts'
import type { AdminListener } from '../../admin/listener.ts'
import type { Clock } from '../../domain/time/clock.ts'
import { inviteFirst } from '../../operator/people.ts'
import { say } from '../failure.ts'
import { originOf, reachable } from '../origin.ts'
import { hasConsole } from './serve-deployment.ts'

/**
 * The console's address, which is noted for the commands that print it. While there is no account, it carries the secret
 * of the setup link. Null, with a line on stderr, if this installation has no console.
 */
export async function consoleLink(
  { store, about }: Pick<AdminApi, 'store' | 'about'>,
  { address }: Pick<AdminListener, 'address'>,
  clock: Clock,
): Promise<{ url: string; setup: string | null } | null> {
  const url = about.consoleUrl ?? originOf(reachable(address), false)
  const addresses = { consoleUrl: url, feedUrl: about.feedUrl }
  if (!isDeepStrictEqual(await store.access.addresses(), addresses)) {
    await store.access.setAddresses(addresses)
  }
  if (!hasConsole()) {
    say("there is no console, because it was not built: run 'npm ci' without --omit=dev")
    return null
  }
  return { url, setup: await inviteFirst(store, clock.now()) }
}
