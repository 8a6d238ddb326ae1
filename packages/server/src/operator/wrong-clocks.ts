import type { MonitoredObject } from '../domain/monitored-object.ts'
import { utcDay } from '../domain/time/time.ts'
import type { Store } from '../store/store.ts'
import type { Reject } from '../tracking/outcome.ts'
import { REJECT_REASONS } from '../tracking/rules/judge.ts'
import { CLOCK_FAULTS } from '../tracking/rules/judge-clock.ts'
import * as doc from './schema.ts'

const WRONG_CLOCK = doc.record(
  {
    id: doc.integer('The object.'),
    ident: doc.text('Its ident.'),
    name: doc.text('Its name.'),
    packets: doc.integer(
      'Its packets that were refused because of their time, today or yesterday (UTC).',
    ),
    time_server: doc.instantOrNull('When the last of them came.'),
    time_device: doc.instantOrNull('The time that it had.'),
    reason: doc.choice(CLOCK_FAULTS, 'Why it was refused.'),
    message: doc.text('The same as a sentence.'),
  },
  'An object whose packets are refused because the clock or the time zone of its device is wrong.',
)
export const WRONG_CLOCKS = doc.items(
  WRONG_CLOCK,
  'The first 100 objects whose last packets were refused because of their time.',
  'WrongClocks',
)

/** Objects whose packets were refused for their time since yesterday, and had no accepted position since. */
export async function wrongClocks(store: Store, organization: number, now: number) {
  const refused = await store.coverage.clockRejects(organization, utcDay(now) - 1)
  const ids = refused.map(({ object }) => object)
  const states = await store.positions.states(organization, ids)
  const found = await Promise.all(
    refused.map(async ({ object: id, packets }) => {
      const [object, rejects] = await Promise.all([
        store.objects.find(organization, id),
        store.positions.rejects(organization, id),
      ])
      const last = rejects.find(({ reason }) => CLOCK_FAULTS.some((fault) => fault === reason))
      const acceptedAt = states.get(id)?.lastFix?.timeServer ?? Number.NEGATIVE_INFINITY
      if (object === null || last === undefined || last.timeServer < acceptedAt) return []
      return [documentOf(object, packets, last)]
    }),
  )
  return found.flat()
}

function documentOf({ id, ident, name }: MonitoredObject, packets: number, last: Reject) {
  const { timeDevice } = last.fix
  const reason = last.reason as (typeof CLOCK_FAULTS)[number]
  const message = REJECT_REASONS[reason]!
  return WRONG_CLOCK.write({ ...last, timeDevice, id, ident, name, packets, reason, message })
}
