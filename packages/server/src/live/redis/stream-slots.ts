import { randomBytes } from 'node:crypto'
import { MAX_STREAMS } from '../../domain/limits.ts'
import { memoryStreamSlots } from '../memory/memory-realtime.ts'
import type { StreamSlots } from '../realtime.ts'
import type { Keys } from './keys.ts'
import { RedisUnavailable } from './permissions.ts'
import { NOT_OURS, script } from './scripts.ts'
import type { Servers } from './servers.ts'

/** The slots of a killed process are free after this time. */
const LEASE_MS = 15_000
const RENEW_EVERY_MS = 5_000
/** Longer than a lease. */
const KEPT_MS = 60_000
const ID_BYTES = 8

/**
 * Keys: streams. Arguments: ids, limit, the length of the lease in milliseconds; 0 frees the slots.
 * The ids are hexadecimal and separated by spaces. Returns 1 if they are held, and 0 without a change if
 * they would be more than the limit.
 *
 * The value lists each id with the time at which its lease ends, in microseconds.
 */
const HOLD_STREAMS = script(
  `
  local leaseUs = tonumber(ARGV[4]) * 1000
  local ends, count = {}, 0
  local function hold(id, at)
    if not ends[id] then count = count + 1 end
    ends[id] = at
  end
  local value = redis.call('GET', KEYS[1]) or ''
  if not string.find(value, '^[%x ]*$') then error('${NOT_OURS} ' .. KEYS[1]) end
  for id, at in string.gmatch(value, '(%x+) (%d+)') do
    if tonumber(at) > now then hold(id, at) end
  end
  for id in string.gmatch(ARGV[2], '%x+') do
    hold(id, leaseUs > 0 and string.format('%.0f', now + leaseUs) or nil)
  end
  if ARGV[3] ~= '' and count > tonumber(ARGV[3]) then return 0 end
  local held = {}
  for id, at in pairs(ends) do held[#held + 1] = id .. ' ' .. at end
  if #held == 0 then redis.call('DEL', KEYS[1])
  else redis.call('SET', KEYS[1], table.concat(held, ' '), 'PX', ${KEPT_MS}) end
  return 1`,
)

/** The slots of all processes. While Redis does not answer, each process counts its own. */
export function redisStreamSlots(
  servers: Servers,
  keys: Keys,
): StreamSlots & { close(): Promise<void> } {
  const own = memoryStreamSlots()
  const leases = openLeases((holder, ids) => void tryTo(hold(holder, ids, '', LEASE_MS)))
  const freeing = new Set<Promise<unknown>>()

  /** Returns whether the slots are held. `limit`: '' to hold them in any case. Rejects if a script fails. */
  async function hold(
    holder: number,
    ids: Iterable<string>,
    limit: number | '',
    leaseMs: number,
  ): Promise<boolean> {
    try {
      const { result } = await servers.evaluate(holder, HOLD_STREAMS, () => ({
        keys: [keys.streams(holder)],
        values: [[...ids].join(' '), limit, leaseMs],
      }))
      return result === 1
    } catch (error) {
      if (error instanceof RedisUnavailable) return true
      throw error
    }
  }

  /** A stream continues if a renewal fails, and a slot that cannot be freed ends with its lease. */
  function tryTo(holding: Promise<unknown>): Promise<unknown> {
    return holding.catch(() => undefined)
  }

  return {
    async take(holder, limit = MAX_STREAMS) {
      const here = own.takeHere(holder, limit)
      if (here === null) return null
      const id = randomBytes(ID_BYTES).toString('hex')
      let isHeld = false
      try {
        isHeld = await hold(holder, [id], limit, LEASE_MS)
      } finally {
        if (!isHeld) here.free()
      }
      if (!isHeld) return null
      leases.note(holder, id)
      return {
        free() {
          here.free()
          if (!leases.forget(holder, id)) return
          const free = tryTo(hold(holder, [id], '', 0)).finally(() => freeing.delete(free))
          freeing.add(free)
        },
      }
    },
    async close() {
      leases.close()
      await Promise.all(freeing)
    },
  }
}

/** The ids of the slots that this process holds. `renew` is called for each holder, every 5 s. */
function openLeases(renew: (holder: number, ids: ReadonlySet<string>) => void) {
  const leases = new Map<number, Set<string>>()
  let renewing: NodeJS.Timeout | undefined

  function renewAll(): void {
    for (const [holder, ids] of leases) renew(holder, ids)
  }

  return {
    note(holder: number, id: string): void {
      const ids = leases.get(holder) ?? new Set()
      leases.set(holder, ids.add(id))
      renewing ??= setInterval(renewAll, RENEW_EVERY_MS)
    },
    /** Returns whether the slot was held. */
    forget(holder: number, id: string): boolean {
      const ids = leases.get(holder)
      if (ids === undefined || !ids.delete(id)) return false
      if (ids.size === 0) leases.delete(holder)
      if (leases.size > 0) return true
      clearInterval(renewing)
      renewing = undefined
      return true
    },
    close: () => clearInterval(renewing),
  }
}
