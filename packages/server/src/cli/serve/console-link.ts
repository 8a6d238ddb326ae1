import type { AddressInfo } from 'node:net'
import type { Clock } from '../../domain/time/clock.ts'
import { inviteFirst } from '../../operator/people.ts'
import type { Store } from '../../store/store.ts'
import { say } from '../failure.ts'
import { originOf, reachable } from '../origin.ts'
import { hasConsole } from './serve-deployment.ts'

/**
 * The console's address. While there is no account, it carries the secret of the setup link. Null, with a
 * line on stderr, if this installation has no console.
 */
export async function consoleLink(
  store: Store,
  { consoleUrl }: { consoleUrl?: string },
  address: AddressInfo,
  clock: Clock,
): Promise<{ url: string; setup: string | null } | null> {
  if (!hasConsole()) {
    say("there is no console, because it was not built: run 'npm ci' without --omit=dev")
    return null
  }
  const url = consoleUrl ?? originOf(reachable(address), false)
  return { url, setup: await inviteFirst(store, clock.now()) }
}
