import { randomBytes } from 'node:crypto'
import { memoryStreamPlaces } from '../memory/stream-places.ts'
import { MAX_STREAMS, type StreamPlaces } from '../realtime.ts'
import type { Keys } from './keys.ts'
import { HOLD_STREAMS } from './scripts.ts'
import type { Servers } from './servers.ts'
import { RedisUnavailable } from './unavailable.ts'

/** The places of a killed process are free after this time. */
const LEASE_MS = 15_000
const RENEW_EVERY_MS = 5_000
const ID_BYTES = 8

/** The places of all processes. While Redis does not answer, each process counts its own. */
export function redisStreamPlaces(
  servers: Servers,
  keys: Keys,
): StreamPlaces & { close(): Promise<void> } {
  const own = memoryStreamPlaces()
  const held = new Map<number, Set<string>>()
  const freeing = new Set<Promise<unknown>>()
  let renewing: NodeJS.Timeout | undefined

  /** Returns whether the places are held. `limit`: '' to hold them in any case. */
  async function hold(
    organization: number,
    ids: Iterable<string>,
    limit: number | '',
    leaseMs: number,
  ): Promise<boolean> {
    try {
      const { result } = await servers.evaluate(organization, HOLD_STREAMS, () => ({
        keys: [keys.streams(organization)],
        values: [[...ids].join(' '), limit, leaseMs],
      }))
      return result === 1
    } catch (error) {
      if (error instanceof RedisUnavailable) return true
      throw error
    }
  }

  function renew(): void {
    for (const [organization, ids] of held) void hold(organization, ids, '', LEASE_MS)
  }

  function note(organization: number, id: string): void {
    const ids = held.get(organization) ?? new Set()
    held.set(organization, ids.add(id))
    renewing ??= setInterval(renew, RENEW_EVERY_MS)
  }

  function forget(organization: number, id: string): void {
    const ids = held.get(organization)
    ids?.delete(id)
    if (ids?.size === 0) held.delete(organization)
    if (held.size > 0) return
    clearInterval(renewing)
    renewing = undefined
  }

  return {
    async take(organization) {
      const here = own.takeHere(organization)
      if (here === null) return null
      const id = randomBytes(ID_BYTES).toString('hex')
      if (!(await hold(organization, [id], MAX_STREAMS, LEASE_MS))) {
        here.free()
        return null
      }
      note(organization, id)
      return {
        free() {
          here.free()
          if (!held.get(organization)?.has(id)) return
          forget(organization, id)
          const free = hold(organization, [id], '', 0).finally(() => freeing.delete(free))
          freeing.add(free)
        },
      }
    },
    async close() {
      clearInterval(renewing)
      await Promise.all(freeing)
    },
  }
}
