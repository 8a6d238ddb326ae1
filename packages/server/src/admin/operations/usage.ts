import { wholeUnits } from '../../domain/quota-count.ts'
import { DAY_MS, formatDate, formatInstant, utcDay } from '../../domain/time/time.ts'
import { type IntegerSchema, integerIn } from '../body.ts'
import { type AdminOperation, READ } from '../operation.ts'
import { fleetOf, organizationOf, sum } from './organizations.ts'

const TAG = 'Usage'
const REFUSED = 429
const DAYS: IntegerSchema = { type: 'integer', minimum: 1, maximum: 90, default: 30 }
const LIMIT: IntegerSchema = { type: 'integer', minimum: 1, maximum: 10_000, default: 100 }

export const USAGE_OPERATIONS: AdminOperation[] = [
  {
    id: 'getUsage',
    method: 'GET',
    path: '/organizations/{organization}/usage',
    scopes: READ,
    tag: TAG,
    summary: 'How an organization used the API, day by day',
    query: {
      days: { schema: DAYS, description: 'How many days back, today among them.' },
    },
    status: 200,
    answers: 'usage',
    async run(call) {
      const { api, query, now } = call
      const days = integerIn(query, 'days', DAYS)
      const { id } = await organizationOf(call)
      await api.usage.write()
      const today = utcDay(now)
      const byDay = new Map<number, Map<string, Answers>>()
      for (const each of await api.store.usage.list(id, today - days + 1, today)) {
        const ofDay = byDay.get(each.day) ?? new Map<string, Answers>()
        byDay.set(each.day, ofDay)
        const { operation, status } = each
        const name = `${operation} ${status}`
        const answers = ofDay.get(name) ?? { operation, status, requests: 0 }
        ofDay.set(name, answers)
        answers.requests += each.requests
      }
      return {
        days: Array.from({ length: days }, (_, i) => today - days + 1 + i).map((day) => {
          const answers = [...(byDay.get(day)?.values() ?? [])]
          return {
            day: formatDate(day),
            requests: sum(answers.map(({ requests }) => requests)),
            refused: sum(
              answers.filter(({ status }) => status === REFUSED).map(({ requests }) => requests),
            ),
            answers,
          }
        }),
      }
    },
  },
  {
    id: 'getQuota',
    method: 'GET',
    path: '/organizations/{organization}/quota',
    scopes: READ,
    tag: TAG,
    summary: 'Today’s quota, object by object, the most charged first',
    query: {
      limit: { schema: LIMIT, description: 'How many objects.' },
    },
    status: 200,
    answers: 'quota',
    async run(call) {
      const { api, query, now } = call
      const most = integerIn(query, 'limit', LIMIT)
      const fleet = await fleetOf(call)
      const { id, dailyQuota: limit } = fleet.organization
      const day = utcDay(now)
      const objects = [...(await fleet.objects()).values()].map(({ object }) => object)
      const ids = objects.map((object) => object.id)
      const used = (await api.realtime.quota.used(id, ids, day)).map(wholeUnits)
      const charged = objects
        .map(({ id: object, name, ident }, i) => ({ object, name, ident, used: used[i]! }))
        .filter((each) => each.used > 0)
        .sort((one, other) => other.used - one.used || one.object - other.object)
      return {
        limit,
        resets_at: formatInstant((day + 1) * DAY_MS),
        items: charged.slice(0, most).map((each) => ({
          ...each,
          remaining: limit === null ? null : Math.max(0, limit - each.used),
        })),
        charged: charged.length,
      }
    },
  },
]

type Answers = { operation: string; status: number; requests: number }
