import { bare } from '../../api/documentation/row-schemas.ts'
import type { RecordType } from '../../domain/change-types.ts'
import * as doc from '../../operator/schema.ts'

const FAILURE = doc.record(
  {
    kind: doc.text('`object`, `geofence` or `site`.'),
    id: doc.integer('Its id.'),
    failed_at: doc.instant('The last attempt.'),
    error: doc.text('The fault.'),
  },
  'An object whose records cannot be derived, or a place whose visits cannot be derived.',
)

function page(Noun: string, row: object): doc.Schema {
  const { schema } = doc.named(Noun, doc.plain<unknown>(row as doc.Schema))
  return doc.record(
    {
      items: doc.list(doc.plain(schema), 'By object id, then by start.'),
      derived_until: doc.instantOrNull(
        'The commit time up to which records are derived. Null: they are being derived for the first time, and the items are not all.',
      ),
      failures: doc.list(
        FAILURE,
        'The first 20 objects and places of the organization whose records cannot be derived. They keep the records that they have. The server tries again, also when they change.',
      ),
      next: doc.textOrNull('The `cursor` of the next page. Null: there is none.'),
    },
    `A page of ${Noun.toLowerCase()}s.`,
    `${Noun}s`,
  ).schema
}

/** The answers with records. Their rows have the schemas of the public API, which no server loads. */
export const RECORD_PAGES: Record<RecordType, doc.Schema> = {
  trips: page('Trip', bare.trip),
  stops: page('Stop', bare.stop),
  visits: page('Visit', bare.visit),
}
