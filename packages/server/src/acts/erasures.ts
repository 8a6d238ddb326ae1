import { RECORD_TYPES } from '../base/domain/item-rules.ts'
import type { MonitoredObject } from '../base/domain/monitored-object.ts'
import { keyOf } from '../base/domain/record.ts'
import { boolean, described, MOMENT } from '../base/domain/setting-rule.ts'
import { MINUTE_MS, type TimeRange, utcDay } from '../base/domain/time/time.ts'
import { originOf, pendingOf, WEBHOOK_FORMS, type Webhook } from '../base/domain/webhook.ts'
import type { ChangeView } from '../engine/store/change-log.ts'
import type { Erasure } from '../engine/store/position-store.ts'
import type { RecordOffset } from '../engine/store/record-store.ts'
import type { Store } from '../engine/store/store.ts'
import { isOfRange } from '../engine/tracking/withheld.ts'
import { openChangesCursor } from '../read/changes/changes-query.ts'
import { askDisclosures, RECIPIENT } from './disclosures.ts'
import * as doc from './document-schema.ts'
import { momentOf, newInput } from './input.ts'
import { invalid } from './refused.ts'

/*
 * Deleted ranges of positions: the documents, what a range has, and who was given it.
 */

type GivenRange = { from: string; to: string }
export const TO_DELETE = newInput<GivenRange & { dryRun: boolean }>(
  'PositionsToDelete',
  {
    from: described(MOMENT, 'The first `time_device` to delete.'),
    to: described(
      MOMENT,
      'The last one, included. It must not be in the future; up to a minute ahead counts as the present. The same as `from`: one position.',
    ),
    dryRun: described(
      boolean,
      'Dry run: answer the same without changing anything. Default: false.',
    ),
  },
  { dryRun: false },
  'A range of the positions of an object.',
)

/** Up to a minute ahead counts as the present: other clocks differ. Throws `Refused`. */
export function rangeIn({ from: first, to: last }: GivenRange, now: number): TimeRange {
  const [from, to] = [momentOf(first), momentOf(last)]
  if (to < from) throw invalid({ field: 'to', rule: 'must not be before from' })
  if (from > now || to > now + MINUTE_MS) {
    throw invalid({ field: 'to', rule: 'must not be in the future' })
  }
  return { from, to: Math.min(to, now) }
}

const STATES = ['under_way', 'done', 'damaged'] as const
const RANGE = {
  from: doc.instant('The first `time_device`.'),
  to: doc.instant('The last one, included.'),
}
const WEBHOOK = {
  id: doc.integer('Its id.'),
  origin: doc.text('The origin of its URL.'),
  form: doc.choice(
    WEBHOOK_FORMS,
    '`changes`: it is sent the deletion. The others are relays, and are not.',
  ),
}

/** The readers who were given data that is deleted. */
export const GIVEN_FOR = {
  recipients: {
    schema: doc.list(
      RECIPIENT,
      'The disclosures of the data on the days since its first time, as far as they are kept.',
    ).schema,
    write: (totals: ReturnType<typeof RECIPIENT.write>[]) => totals,
  },
  webhooks: doc.list(
    doc.record(WEBHOOK, 'A webhook.'),
    'The webhooks and relays of the organization. Webhooks are sent the deletion as changes.',
  ),
}

export const DELETION = doc.record(
  {
    ...RANGE,
    positions: doc.integer('Positions that answers show.'),
    hidden: doc.integer('Positions that are stored and not shown.'),
    rejects: doc.integer('Rejected packets that are kept with their places.'),
    records: doc.integer(
      'Trips, stops, visits and changes of levels that overlap the range. They are derived again without it.',
    ),
    ...GIVEN_FOR,
  },
  'The contents of a range, and the readers who were given data of the object.',
  'Deletion',
)

const ERASED = doc.record(
  {
    ...RANGE,
    attribute: doc.textOrNull(
      'The name that devices use, if values of an attribute were erased. Null: positions were deleted.',
    ),
    erased_at: doc.instant('When the deletion was last requested.'),
    state: doc.choice(
      STATES,
      '`under_way`: some of its positions, or values, are still shown. `done`: none is stored. `damaged`: positions that cannot be read are left; restore them from a backup.',
    ),
    done_at: doc.instantOrNull(
      'When the last of its positions was deleted: earlier backups still have the positions. Null: the state is not `done`.',
    ),
    webhooks: doc.list(
      doc.record(
        {
          ...WEBHOOK,
          has_followed: doc.orNull<boolean>(
            'boolean',
            'Whether the deletion was delivered to it. Null: a relay, whose receiver cannot take back positions.',
          ),
        },
        'A webhook or relay, and whether it has followed.',
      ),
      'The webhooks and relays of the organization.',
    ),
  },
  'A range whose positions were deleted, or whose values were erased. None of it is stored again.',
)
export const ERASURES = doc.items(ERASED, 'By `from`.', 'ErasedRanges')

/** The present contents of a range of an object. */
export async function deletionOf(
  store: Store,
  object: MonitoredObject,
  range: TimeRange,
  now: number,
) {
  const { organization, id } = object
  const [counts, rejects, records] = await Promise.all([
    store.positions.storedIn(organization, id, range),
    store.positions.rejects(organization, id),
    store.changeLog.view(organization, (view) => countRecords(view, id, range)),
  ])
  const kept = rejects.filter((each) => isOfRange(range, each))
  const facts = { ...range, ...counts, rejects: kept.length, records: records ?? 0 }
  const given = await givenSince(store, organization, id, range.from, now)
  return DELETION.write({ ...facts, ...given })
}

/** The readers who were given data of an object since the day of a moment. Null: of all objects. */
export async function givenSince(
  store: Store,
  organization: number,
  object: number | null,
  first: number,
  now: number,
) {
  const days = { from: utcDay(first), to: utcDay(now), ...(object !== null && { object }) }
  const asked = await askDisclosures(store, organization, days, () => undefined)
  const webhooks = await store.webhooks.list(organization)
  return { recipients: await asked.totals(), webhooks: webhooks.map(webhookOf) }
}

/** Records that are read at once: an object may have those of years. */
const RECORDS_AT_ONCE = 1_000

async function countRecords(
  view: Pick<ChangeView, 'recordsOf'>,
  object: number,
  range: TimeRange,
): Promise<number> {
  let count = 0
  for (const type of RECORD_TYPES) {
    for (let after: RecordOffset | null = null; ; ) {
      const found = await view.recordsOf(type, [object], range, after, RECORDS_AT_ONCE)
      count += found.length
      if (found.length < RECORDS_AT_ONCE) break
      after = { object, ...keyOf(found.at(-1)!.record) }
    }
  }
  return count
}

export async function erasuresDocument(store: Store, organization: number, object: number) {
  const erasures = await store.positions.erasures(organization, object)
  const followers = await Promise.all(
    (await store.webhooks.list(organization)).map(async (each) => ({
      ...webhookOf(each),
      upTo: await deliveredUpTo(store, each),
    })),
  )
  const hasFollowed = ({ seq, state }: Erasure, upTo: number) => state === 'done' && upTo >= seq
  const items = erasures.map((each) =>
    ERASED.write({
      ...each,
      webhooks: followers.map(({ upTo, ...webhook }) => ({
        ...webhook,
        hasFollowed: webhook.form === 'changes' ? hasFollowed(each, upTo) : null,
      })),
    }),
  )
  return { items }
}

function webhookOf({ id, url, form }: Webhook) {
  return { id, origin: originOf(url), form }
}

/** The number of the last change that a webhook was delivered. 0: none, or all of it will be delivered again. */
async function deliveredUpTo(store: Store, { organization, id }: Webhook): Promise<number> {
  const newest = await store.webhooks.newest(organization, id)
  if (newest === null || newest.cursor === null || pendingOf(newest) !== null) return 0
  const opened = openChangesCursor(await store.secret(), organization, newest.cursor)
  if (opened === undefined) return 0
  const { offset } = opened
  return 'base' in offset ? 0 : offset.after
}
