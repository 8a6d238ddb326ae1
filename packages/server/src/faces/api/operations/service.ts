import type { RateVerdict } from '../../../base/access/sliding-log.ts'
import { toJson } from '../../../base/domain/common/plain-json.ts'
import { scopeDocument } from '../../../base/domain/key-scope.ts'
import { MAX_STREAMS, wholeUnits } from '../../../base/domain/limits.ts'
import { formatDate, formatInstant, utcDay } from '../../../base/domain/time/time.ts'
import type { Call } from '../../../read/call.ts'
import {
  MAX_IDS,
  ONLY_IDS_AS_ASKED,
  selectIds,
} from '../../../read/parameters/object-parameters.ts'
import { parameterSet } from '../../../read/parameters/parameter.ts'
import { malformedRequest, repeatedParameter } from '../../../read/refusal.ts'
import { secondsOfDay, wholeSeconds, windowLimit } from '../../../read/request-limits.ts'
import { van } from '../../../read/schemas/examples.ts'
import type { SchemaValue } from '../../../read/schemas/schemas.ts'
import type { Operation } from '../operation.ts'

/*
 * The operations about the service and the key of the request.
 */

const ALIVE = { status: 'ok' } as const
const ANSWER = { body: JSON.stringify({ statusCode: 200, result: ALIVE }) }

/** `GET /ping`: whether the service answers. Needs no key and is not counted. */
export const ping: Operation = {
  id: 'ping',
  path: '/ping',
  tag: 'Service',
  summary: 'Ping',
  description:
    'Confirms that the service answers. Needs no key and counts against no organization.',
  parameters: parameterSet({}),
  success: 'The service answers.',
  result: { one: 'Health', example: ALIVE },
  badRequests: [malformedRequest],
  isPublic: true,
  run: () => ANSWER,
}

/** `GET /key`: the key of the request, what it opens, and the settings of its organization. Charges nothing. */
export const getKey: Operation = {
  id: 'getKey',
  path: '/key',
  tag: 'Service',
  summary: 'Get the key',
  description:
    'The key of the request, what it has access to, and the settings of the organization that affect answers. Every key can read it. Costs a request and no quota.',
  parameters: parameterSet({}),
  success: 'The key.',
  result: {
    one: 'Key',
    example: {
      name: 'Broker',
      prefix: 'fg_live_k3Xz',
      scope: {
        operations: ['objects', 'positions'],
        objects: [van.id],
        data_from: '2026-11-16T00:00:00.000Z',
        data_until: '2026-11-22T23:59:59.999Z',
        window_share: 3,
      },
      created_at: '2026-11-16T08:15:00.000Z',
      expires_at: null,
      organization: {
        name: 'Harbour Logistics',
        time_zone: 'Europe/Madrid',
        distance_unit: 'km',
        language: 'en',
      },
    },
  },
  badRequests: [repeatedParameter('format')],
  isPosition: false,
  openedBy: [],
  isPublic: false,
  prepare({ key, organization }) {
    const { name, prefix, scope, createdAt, expiresAt } = key
    const result: SchemaValue<'Key'> = {
      name,
      prefix,
      scope: scopeDocument(scope),
      created_at: formatInstant(createdAt),
      expires_at: expiresAt === null ? null : formatInstant(expiresAt),
      organization: {
        name: organization.name,
        time_zone: organization.timeZone,
        distance_unit: organization.distanceUnit,
        language: organization.language,
      },
    }
    const body = toJson({ statusCode: 200, result })
    return { due: null, shown: [], answer: () => ({ isFresh: true, body }) }
  },
}

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
    const objects = selectIds(asked.ids, all)
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
