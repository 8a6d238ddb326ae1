import type { MonitoredObject } from '../base/domain/monitored-object.ts'
import {
  REFUSED_IDENT_MESSAGES,
  type RefusedIdent,
  type RefusedIdentReason,
} from '../base/domain/routing-rule.ts'
import { utcDay } from '../base/domain/time/time.ts'
import type { Store } from '../engine/store/store.ts'
import type { Reject } from '../engine/tracking/fold-tables.ts'
import { CLOCK_FAULTS, REJECT_REASONS } from '../engine/tracking/rules/judge.ts'
import * as doc from './document-schema.ts'

/*
 * Packets that were not taken: refused idents, rejected positions, and devices with a wrong clock.
 */

const REJECT = doc.record(
  {
    time_server: doc.instantOrNull(
      'When the packet arrived. Null if it is not a valid date. The next field is null in the same way.',
    ),
    time_device: doc.instantOrNull('Device time of the position.'),
    reason: doc.text('Why it was not accepted, as a word.'),
    message: doc.text('The same as a sentence.'),
    stored: doc.yes(
      'Whether a position of that moment is stored nevertheless: some values could not be read, or another packet was better.',
    ),
    hdop: doc.realOrNull('Horizontal dilution of precision.'),
    gps_level: doc.realOrNull('GPS quality level.'),
    latitude: doc.realOrNull('Degrees.'),
    longitude: doc.realOrNull('Degrees.'),
  },
  'A packet that was not accepted, or that lost some of its values.',
)
export const REJECTS = doc.items(
  REJECT,
  'The last packets of an object that were not accepted, or that lost some of its values: ten of each, the newest first.',
  'Rejects',
)

const REFUSED_IDENT = doc.record(
  {
    ident: doc.text('The identifier that the tracker sends.'),
    reason: doc.choice(
      Object.keys(REFUSED_IDENT_MESSAGES) as RefusedIdentReason[],
      'Why the last packet did not create an object.',
    ),
    message: doc.text('The same as a sentence.'),
    packets: doc.integer('How many packets have come since the ident was put on the list.'),
    last_at: doc.instant('When the last packet came.'),
    latitude: doc.realOrNull('Where the last packet was sent from, degrees. Null: it had no fix.'),
    longitude: doc.realOrNull('Degrees.'),
  },
  'An ident that trackers send and that no object has.',
)
export const REFUSED_IDENTS_OF_ALL = doc.items(
  doc.record(
    { organization: doc.integer('The id of the organization.'), ...REFUSED_IDENT.fields },
    'An ident that trackers send to an organization and that no object of it has.',
  ),
  'The idents that sent last, the newest first: at most 100 of each organization.',
  'AllRefusedIdents',
)
export const REFUSED_IDENTS = doc.items(
  REFUSED_IDENT,
  'The 100 idents that sent last, the newest first.',
  'RefusedIdents',
)

/** Times are null if they cannot be written: that may be why the packet was rejected. */
export function rejectDocument({ reason, timeServer, fix, isStored, unread = [] }: Reject) {
  const words = REJECT_REASONS[reason] ?? reason
  const message = unread.length === 0 ? words : `${words}: ${unread.join(', ')}`
  return REJECT.write({ ...fix, timeServer, reason, message, stored: isStored === true })
}

export function refusedIdentDocument(refused: RefusedIdent) {
  return REFUSED_IDENT.write({ ...refused, message: REFUSED_IDENT_MESSAGES[refused.reason] })
}

/** The refused idents of all organizations, as documents, the newest first. */
export async function refusedIdentsOfAll({
  organizations,
  refusedIdents,
}: Pick<Store, 'organizations' | 'refusedIdents'>) {
  const found = []
  for (const { id: organization } of await organizations.list()) {
    for (const each of await refusedIdents.list(organization)) {
      found.push({ organization, ...refusedIdentDocument(each) })
    }
  }
  return found.sort((a, b) => (a.last_at < b.last_at ? 1 : -1))
}

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
