import { isLoopback } from '../../domain/common/fetching.ts'
import type { Store } from '../../store/store.ts'

/** The origin of the console: as it is given, as the server that last started said, or the default one. */
export async function consoleAt({ access }: Store, given?: string): Promise<string> {
  return given ?? (await access.addresses()).consoleUrl ?? 'http://127.0.0.1:7072'
}

/** The origin of the feed, found in the same way. */
export async function feedAt({ access }: Store): Promise<string> {
  return (await access.addresses()).feedUrl ?? 'http://127.0.0.1:7071'
}

/** Whether other machines cannot reach an origin. */
export function isOfThisMachine(origin: string): boolean {
  const host = new URL(origin).hostname.replace(/^\[|\]$/g, '')
  return host === 'localhost' || isLoopback(host)
}
