import type { RateVerdict } from '../../access/sliding-log.ts'
import { toJson } from '../../domain/common/json.ts'
import { MAX_STREAMS, wholeUnits } from '../../domain/limits.ts'
import { formatDate, utcDay } from '../../domain/time/time.ts'
import { van } from '../documentation/examples.ts'
import type { SchemaValue } from '../documentation/schemas.ts'
import { secondsOfDay, wholeSeconds, windowLimit } from '../limits.ts'
import type { Call, Operation } from '../operation.ts'
import { MAX_IDS, ONLY_IDS_AS_ASKED, ownIds } from '../parameters/object-ids.ts'
import { parameterSet } from '../parameters/parameter.ts'

/** The days of requests in an answer, today among them. */
const DAYS = 30

type UsageResult = SchemaValue<'Usage'>

const PARAMETERS = parameterSet({ ids: ONLY_IDS_AS_ASKED })

/** `GET /usage`: what the key has used, and what it has left. Charges nothing. */
export const getUsage: Operation = {
  id: 'getUsage',
  path: '/usage',
  tag: 'Service',
  summary: 'Get usage and limits',
  description:
    'The remaining requests of the rate window, the remaining daily quota, the requests with this key in the last 30 days, and the limits of the service. Every key can read it. Costs a request and no quota.',
  parameters: PARAMETERS,
  success: 'The usage of the key, and what is left of its limits.',
  result: {
    one: 'Usage',
    example: {
      window: { limit: 3, remaining: 2, reset: 10 },
      quota: {
        limit: 1_000,
        reset: 50_400,
        objects: [{ id: van.id, used: 12, remaining: 988 }],
      },
      requests: [
        { date: '2026-11-20', operation: 'latestPositions', status: 200, requests: 240 },
        { date: '2026-11-20', operation: 'latestPositions', status: 429, requests: 3 },
      ],
      maxima: {
        history_rows: 100_000,
        history_days: 31,
        ids: 1_000,
        streams: 10,
        changes_days: 30,
      },
    },
  },
  badRequests: ONLY_IDS_AS_ASKED.refusals,
  errors: { 404: 'ObjectNotFound' },
  isPosition: false,
  openedBy: [],
  isPublic: false,
  async prepare(call) {
    const all = await call.fleet.objects()
    const asked = PARAMETERS.of(call)
    if ('status' in asked) return asked
    const objects = asked.ids === undefined ? [...all.keys()] : ownIds(asked.ids, all)
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
        return { isFresh: true, body: toJson({ statusCode: 200, result }) }
      },
    }
  },
}

function windowOf(
  { key, organization }: Call,
  { remaining, resetUs }: RateVerdict,
): UsageResult['window'] {
  const limit = windowLimit(organization, key.scope)
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
    operation,
    status,
    requests,
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
