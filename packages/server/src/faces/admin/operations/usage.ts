import { fleetOf, organizationOf, VIEWERS } from '../../../acts/act.ts'
import * as doc from '../../../acts/document-schema.ts'
import { queryInput } from '../../../acts/query.ts'
import { wholeUnits } from '../../../base/domain/limits.ts'
import { described, wholeNumber } from '../../../base/domain/setting-rule.ts'
import { DAY_MS, utcDay } from '../../../base/domain/time/time.ts'
import { operations } from '../admin-api.ts'
import { sum } from './organization-operations.ts'

const REFUSED = 429
const DAYS = queryInput<{ days: number }>(
  { days: described(wholeNumber(1, 90), 'How many days back, today among them.') },
  { days: 30 },
)
const LIMIT = queryInput<{ limit: number }>(
  { limit: described(wholeNumber(1, 10_000), 'How many objects.') },
  { limit: 100 },
)

const USAGE = doc.record(
  {
    days: doc.list(
      doc.record(
        {
          day: doc.day('The UTC day.'),
          requests: doc.integer('Requests with a key of the organization.'),
          refused: doc.integer('How many of them the rate window refused (429).'),
          answers: doc.list(
            doc.record(
              {
                operation: doc.text(
                  'Name of the operation, as in the API’s description; `none` where the path was unknown.',
                ),
                status: doc.integer('Status of the answer.'),
                requests: doc.integer('How many.'),
              },
              'Answers of one operation with one status.',
            ),
          ),
        },
        'One day.',
      ),
      'Each day of the range, ascending, including days without requests.',
    ),
  },
  'How an organization used the API. If other processes answer requests, up to a minute old.',
  'Usage',
)

const QUOTA = doc.record(
  {
    limit: doc.integerOrNull('Charges per object and UTC day. Null: unlimited.'),
    resets_at: doc.instant('When the next day begins.'),
    items: doc.list(
      doc.record(
        {
          object: doc.integer('Id of the object.'),
          name: doc.text('Its name.'),
          ident: doc.text('Its ident.'),
          used: doc.integer('Charge of today, rounded up.'),
          remaining: doc.integerOrNull('Remaining quota of today, rounded down. Null: unlimited.'),
        },
        'An object that was charged today.',
      ),
      'Those that were charged today, the most charged first.',
    ),
    charged: doc.integer(
      'How many objects were charged today, including those that are not among the items.',
    ),
  },
  'Today’s quota of each object.',
  'Quota',
)

export const USAGE_OPERATIONS = operations('Usage', [
  {
    id: 'getUsage',
    method: 'GET',
    path: '/organizations/{organization}/usage',
    who: VIEWERS,
    summary: 'How an organization used the API, day by day',
    query: DAYS,
    answers: USAGE,
    async run(call) {
      const { store, query, now } = call
      const { days } = DAYS.in(query)
      const { id } = await organizationOf(call)
      await call.known.writeCounts()
      const today = utcDay(now)
      const byDay = new Map<number, Map<string, Answers>>()
      for (const each of await store.usage.list(id, today - days + 1, today)) {
        const ofDay = byDay.get(each.day) ?? new Map<string, Answers>()
        byDay.set(each.day, ofDay)
        const { operation, status } = each
        const name = `${operation} ${status}`
        const answers = ofDay.get(name) ?? { operation, status, requests: 0 }
        ofDay.set(name, answers)
        answers.requests += each.requests
      }
      return USAGE.write({
        days: Array.from({ length: days }, (_, i) => today - days + 1 + i).map((day) => {
          const answers = [...(byDay.get(day)?.values() ?? [])]
          return {
            day,
            requests: sum(answers.map(({ requests }) => requests)),
            refused: sum(
              answers.filter(({ status }) => status === REFUSED).map(({ requests }) => requests),
            ),
            answers,
          }
        }),
      })
    },
  },
  {
    id: 'getQuota',
    method: 'GET',
    path: '/organizations/{organization}/quota',
    who: VIEWERS,
    summary: 'Today’s quota of each object, the most charged first',
    query: LIMIT,
    answers: QUOTA,
    async run(call) {
      const { api, query, now } = call
      const most = LIMIT.in(query).limit
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
      return QUOTA.write({
        limit,
        resetsAt: (day + 1) * DAY_MS,
        items: charged.slice(0, most).map((each) => ({
          ...each,
          remaining: limit === null ? null : Math.max(0, limit - each.used),
        })),
        charged: charged.length,
      })
    },
  },
])

type Answers = { operation: string; status: number; requests: number }
