import * as records from '../../api/documentation/record-schemas.ts'
import type { RecordType } from '../../domain/change-types.ts'
import {
  instant,
  instantOrNull,
  integer,
  list,
  named,
  plain,
  record,
  type Schema,
  text,
  textOrNull,
} from '../../operator/schema.ts'

const FAILURE = record(
  {
    kind: text('`object`, `geofence` or `site`.'),
    id: integer('Its id.'),
    failed_at: instant('The last attempt.'),
    error: text('The fault.'),
  },
  'An object whose records cannot be derived, or a place whose visits cannot be derived.',
)

function page(Noun: string, row: object): Schema {
  const { schema } = named(Noun, plain<unknown>(row as Schema))
  return record(
    {
      items: list(plain(schema), 'By object id, then by start.'),
      derived_until: instantOrNull(
        'The commit time up to which records are derived. Null: they are being derived for the first time, and the items are not all.',
      ),
      failures: list(
        FAILURE,
        'The first 20 objects and places of the organization whose records cannot be derived. They keep the records that they have. The server tries again, also when they change.',
      ),
      next: textOrNull('To be given as `cursor` for the next page. Null: there is none.'),
    },
    `A page of ${Noun.toLowerCase()}s.`,
    `${Noun}s`,
  ).schema
}

/** The answers with records. Their rows have the schemas of the public API, which no server loads. */
export const RECORD_PAGES: Record<RecordType, Schema> = {
  trips: page('Trip', records.trip),
  stops: page('Stop', records.stop),
  visits: page('Visit', records.visit),
}
