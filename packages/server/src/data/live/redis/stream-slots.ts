import { randomBytes } from 'node:crypto'
import { memoryStreamSlots } from '../memory/memory-realtime.ts'
import type { StreamSlots } from '../realtime.ts'
import { RedisUnavailable } from './permissions.ts'
import type { Keys } from './redis-keys.ts'
import { NOT_OURS, script } from './scripts.ts'
import type { Servers } from './servers.ts'

/** The slots of a killed process become free after this time. */
const LEASE_MS = 15_000
const RENEW_EVERY_MS = 5_000
/** Longer than a lease. */
const KEPT_MS = 60_000
const ID_BYTES = 8

/**
 * Keys: streams. Arguments: ids, the length of the lease in milliseconds; 0 frees the slots.
 * The ids are hexadecimal and separated by spaces. New ones come last. Returns the position of the last id in the
 * queue, from 1 on.
 *
 * The value is the queue: each id with the time at which its lease ends, in microseconds.
 */
const HOLD_STREAMS = script(
  `
  local leaseUs = tonumber(ARGV[3]) * 1000
  local ids, ends, last = {}, {}, nil
  local function hold(id, at)
    if ends[id] == nil then ids[#ids + 1] = id end
    ends[id] = at
  end
  local value = redis.call('GET', KEYS[1]) or ''
  if not string.find(value, '^[%x ]*$') then error('${NOT_OURS} ' .. KEYS[1]) end
  for id, at in string.gmatch(value, '(%x+) (%d+)') do
    if tonumber(at) > now then hold(id, at) end
  end
  for id in string.gmatch(ARGV[2], '%x+') do
    hold(id, leaseUs > 0 and string.format('%.0f', now + leaseUs))
    last = id
  end
  local line, place = {}, 0
  for _, id in ipairs(ids) do
    if ends[id] then line[#line + 1] = id .. ' ' .. ends[id] end
    if id == last then place = #line end
  end
  if #line == 0 then redis.call('DEL', KEYS[1])
  else redis.call('SET', KEYS[1], table.concat(line, ' '), 'PX', ${KEPT_MS}) end
  return place`,
)

/** The slots of all processes. While Redis does not answer, each process counts its own. */
export function redisStreamSlots(
  servers: Servers,
  keys: Keys,
): StreamSlots & { close(): Promise<void> } {
  const own = memoryStreamSlots()
  const leases = openLeases((holder, ids) => void tryTo(hold(holder, ids, LEASE_MS)))
  const freeing = new Set<Promise<unknown>>()

  /** Returns the position of the last slot in the queue. Rejects if a script fails. */
  async function hold(holder: number, ids: Iterable<string>, leaseMs: number): Promise<number> {
    try {
      const { result } = await servers.evaluate(holder, HOLD_STREAMS, () => ({
        keys: [keys.streams(holder)],
        values: [[...ids].join(' '), leaseMs],
      }))
      return result as number
    } catch (error) {
      if (error instanceof RedisUnavailable) return 1
      throw error
    }
  }

  /** A stream continues if a renewal fails, and a slot that cannot be freed ends with its lease. */
  function tryTo(holding: Promise<unknown>): Promise<unknown> {
    return holding.catch(() => undefined)
  }

  return {
    async lineUp(holder, limit) {
      const here = await own.lineUp(holder, limit)
      const id = randomBytes(ID_BYTES).toString('hex')
      let place = 0
      try {
        place = await hold(holder, [id], LEASE_MS)
      } finally {
        if (place === 0) here.free()
      }
      leases.note(holder, id)
      return {
        async isTaken() {
          // Slots before it in this process are also before it in the queue of all processes.
          if (!(await here.isTaken())) return false
          if (place > limit) place = await hold(holder, [id], LEASE_MS)
          return place <= limit
        },
        free() {
          here.free()
          if (!leases.forget(holder, id)) return
          const free = tryTo(hold(holder, [id], 0)).finally(() => freeing.delete(free))
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
