import { type Credential, requestsSum, stateOf } from '../../base/domain/credential.ts'
import { MINUTE_MS, utcDay } from '../../base/domain/time/time.ts'
import type { KeyStore, KeyUse } from '../../engine/store/key-store.ts'

/** The keys of all organizations, by hash. */
export type KeyRing = {
  /** Finds the key of a hash. Undefined if it is unknown, revoked, or expired at `now`. */
  find(hash: string, now: number): Credential | undefined
  /** The number of an organization's keys that are valid at `now`. */
  count(organization: number, now: number): number
  /** Finds the key of a hash, also one that was revoked or has expired, except among links. */
  known(hash: string): Credential | undefined
  /** Notes that a key was used, to the minute. `writeLastUses` writes it later. */
  noteUse(key: Credential, now: number): void
  /** Marks an organization's keys as outdated. */
  outdate(organization: number): void
  /** Reads outdated keys again. Undefined if there are none. */
  readOutdated(): Promise<void> | undefined
  /** Rejects if the store is busy. The uses are kept for the next time. */
  writeLastUses(): Promise<void>
}

/** `isCounted`: whether the store counts the requests of each. `read`: the keys of an organization, or of all. */
export async function openKeyRing(
  store: KeyStore,
  isCounted = false,
  read = (organization?: number) =>
    organization === undefined ? store.all() : store.list(organization),
): Promise<KeyRing> {
  const byHash = new Map<string, Credential>()
  const byOrganization = new Map<number, Credential[]>()
  /** Organizations whose keys must be read again, with the number of the change. */
  const outdated = new Map<number, number>()
  let changes = 0
  const uses = lastUses(store, isCounted)

  function add(key: Credential): void {
    byHash.set(key.hash, key)
    const siblings = byOrganization.get(key.organization)
    if (siblings === undefined) byOrganization.set(key.organization, [key])
    else siblings.push(key)
  }

  for (const key of await read()) add(key)

  async function readAgain(organization: number): Promise<void> {
    for (let change = outdated.get(organization); change !== undefined; ) {
      const keys = await read(organization)
      const newest = outdated.get(organization)
      // Another change came during the read, so these keys may be outdated: a key may have been revoked.
      if (newest === change) replaceAll(organization, keys)
      change = newest === change ? undefined : newest
    }
  }

  function replaceAll(organization: number, keys: Credential[]): void {
    for (const key of byOrganization.get(organization) ?? []) byHash.delete(key.hash)
    byOrganization.delete(organization)
    for (const key of keys) add(key)
    outdated.delete(organization)
  }

  return {
    find(hash, now) {
      const key = byHash.get(hash)
      return key === undefined || stateOf(key, now) !== 'active' ? undefined : key
    },
    count(organization, now) {
      const keys = byOrganization.get(organization) ?? []
      return keys.filter((key) => stateOf(key, now) === 'active').length
    },
    known: (hash) => byHash.get(hash),
    noteUse: uses.note,
    outdate(organization) {
      outdated.set(organization, ++changes)
    },
    readOutdated() {
      if (outdated.size === 0) return undefined
      return Promise.all(Array.from(outdated.keys(), readAgain)).then(() => undefined)
    },
    writeLastUses: uses.write,
  }
}

/** When keys were last used and, if that is counted, how often, until the store has it. */
function lastUses(store: KeyStore, isCounted: boolean) {
  let unwritten = new Map<number, KeyUse>()

  function useOf({ organization, id: key, lastUsedAt }: Credential): KeyUse {
    const use = unwritten.get(key) ?? { organization, key, usedAt: 0, requests: {} }
    unwritten.set(key, use)
    use.usedAt = lastUsedAt!
    return use
  }

  return {
    note(key: Credential, now: number): void {
      const minute = now - (now % MINUTE_MS)
      const isNoted = key.lastUsedAt !== null && key.lastUsedAt >= minute
      if (isNoted && !isCounted) return
      if (!isNoted) key.lastUsedAt = minute
      const { requests } = useOf(key)
      const day = utcDay(now)
      if (isCounted) requests[day] = (requests[day] ?? 0) + 1
    },
    async write(): Promise<void> {
      if (unwritten.size === 0) return
      const writing = unwritten
      unwritten = new Map()
      try {
        await store.touch([...writing.values()])
      } catch (error) {
        for (const [key, use] of writing) {
          const { usedAt, requests } = unwritten.get(key) ?? { ...use, requests: {} }
          unwritten.set(key, { ...use, usedAt, requests: requestsSum(use.requests, requests) })
        }
        throw error
      }
    },
  }
}
