import { RATE_WINDOW, type RateVerdict } from '../../access/sliding-log.ts'
import { wholeUnits } from '../../domain/quota-count.ts'
import { formatDate, utcDay } from '../../domain/time/time.ts'
import { MAX_STREAMS } from '../../realtime/realtime.ts'
import type { UsageResult } from '../documentation/schemas.ts'
import { secondsOfDay, wholeSeconds } from '../limits.ts'
import type { Call, Operation } from '../operation.ts'
import { listIn, MAX_IDS, ownIds, readIds } from '../parameters/object-ids.ts'

/** The days of requests in an answer, today among them. */
const DAYS = 30

/** `GET /usage`: what the key has used, and what it has left. Charges nothing. */
export const getUsage: Operation = {
  id: 'getUsage',
  isPosition: false,
  openedBy: [],
  isPublic: false,
  async prepare(call) {
    const all = await call.fleet.objects()
    const text = listIn(call.query, 'ids')
    const asked = text === '' ? [...all.keys()] : readIds(text)
    if ('status' in asked) return asked
    const objects = text === '' ? asked : ownIds(asked, all)
    if ('status' in objects) return objects
    return {
      due: null,
      shown: [],
      async answer(_states, _charge, rate) {
        const result: UsageResult = {
          window: windowOf(call, rate),
          quota: await quotaOf(call, objects),
          requests: await requestsOf(call),
          maxima: maximaOf(call),
        }
        return { isFresh: true, body: JSON.stringify({ statusCode: 200, result }) }
      },
    }
  },
}

function windowOf({ key }: Call, { remaining, resetUs }: RateVerdict): UsageResult['window'] {
  const limit = key.scope?.windowShare ?? RATE_WINDOW.requests
  return { limit, remaining, reset: wholeSeconds(resetUs) }
}

async function quotaOf(
  { api, organization }: Call,
  objects: readonly number[],
): Promise<UsageResult['quota']> {
  const { id, dailyQuota: limit } = organization
  const now = api.clock.now()
  const used = await api.realtime.quota.used(id, objects, utcDay(now))
  return {
    limit,
    reset: secondsOfDay(now),
    objects: objects.flatMap((object, index) => {
      const units = wholeUnits(used[index]!)
      if (units === 0) return []
      const remaining = limit === null ? null : Math.max(0, limit - units)
      return { id: object, used: units, remaining }
    }),
  }
}

async function requestsOf({ api, key }: Call): Promise<UsageResult['requests']> {
  const today = utcDay(api.clock.now())
  const counts = await api.usage.ofKey(key.organization, key.id, today - DAYS + 1, today)
  return counts.map(({ day, operation, status, requests }) => ({
    date: formatDate(day),
    ...{ operation, status, requests },
  }))
}

function maximaOf({ api, key }: Call): UsageResult['maxima'] {
  const { maxHistoryRows, maxHistoryDays } = api.historyLimits
  return {
    history_rows: maxHistoryRows,
    history_days: maxHistoryDays,
    ids: MAX_IDS,
    streams: Math.min(MAX_STREAMS, key.scope?.windowShare ?? MAX_STREAMS),
    changes_days: api.changesDays,
  }
}
