import { CHANGE_TYPES } from '../../domain/change-types.ts'
import { LANGUAGES } from '../../domain/organization.ts'
import {
  type Format,
  MAP_FORMATS,
  POSITION_FORMATS,
  TABLE_FORMATS,
} from '../encode/formats/formats.ts'

const ZONE = String.raw`(Z|[+\- ]\d\d(:?\d\d)?)?`
const EXTENDED = String.raw`-\d\d-\d\d(T\d\d(:\d\d(:\d\d([.,]\d+)?)?)?${ZONE})?`
const BASIC = String.raw`\d{4}(T\d\d(\d\d(\d\d([.,]\d+)?)?)?${ZONE})?`

/** The forms that `domain/time/time.ts` takes. Whether such a day or hour exists, only the server tells. */
const TIME = { type: 'string', pattern: String.raw`^\d{4}(${EXTENDED}|${BASIC})$` }

/**
 * Request parameters by their names in the description. One that a first request does not need has no
 * `example`, because tools would send it in a trial.
 */
export const parameters = {
  ObjectId: {
    name: 'id',
    in: 'path',
    required: true,
    description: 'Id of an object of your organization, in digits.',
    schema: { type: 'integer', minimum: 0 },
    example: 1071,
  },
  RouteId: {
    name: 'id',
    in: 'path',
    required: true,
    description: 'Id of a route of your organization, in digits.',
    schema: { type: 'integer', minimum: 0 },
    example: 7,
  },
  OneObject: {
    name: 'object',
    in: 'query',
    required: true,
    description: 'Id of an object of your organization, in digits.',
    schema: { type: 'integer', minimum: 0 },
    example: 1071,
  },
  FromTime: {
    name: 'from_time',
    in: 'query',
    required: true,
    description:
      'Start of the range of `time_device`, included: a date (its first millisecond in UTC) or an ISO 8601 datetime, UTC where it has no offset.',
    schema: TIME,
    examples: times('2026-11-20', '2026-11-20T08:00:00Z', '2026-11-20T11:00:00+03:00'),
  },
  ToTime: {
    name: 'to_time',
    in: 'query',
    required: true,
    description:
      'End of the range of `time_device`, included: a date (its last millisecond in UTC) or an ISO 8601 datetime, UTC where it has no offset. Not earlier than `from_time`.',
    schema: TIME,
    examples: times('2026-11-20', '2026-11-20T10:00:00Z', '2026-11-20T13:00:00+03:00'),
  },
  Limit: {
    name: 'limit',
    in: 'query',
    description:
      'Maximum number of rows in one answer. Without it the whole range is answered; with it, `Link` leads to the rows that are left.',
    schema: { type: 'integer', minimum: 1 },
    example: 1000,
  },
  Cursor: {
    name: 'cursor',
    in: 'query',
    description:
      'Where the next page begins. Comes ready in `Link`, together with the range to which it belongs; do not make or change one.',
    schema: { type: 'string' },
  },
  Ids: {
    name: 'ids',
    in: 'query',
    required: true,
    description:
      'Ids of objects, separated by commas, at most 1,000: `ids=1071,1072`. `ids=1071&ids=1072` and `ids[]=1071&ids[]=1072` mean the same. A repeated id counts once; ids that your organization does not have are left out of the answer.',
    style: 'form',
    explode: false,
    schema: { type: 'array', items: { type: 'integer', minimum: 0 }, minItems: 1, maxItems: 1000 },
    example: [1071, 1072],
  },
  LatestIds: selectedIds(false, 'Without it, `bbox` is required, and all objects are searched.'),
  IdsAt: selectedIds(true, ''),
  BoundingBox: {
    name: 'bbox',
    in: 'query',
    description:
      'Only objects whose last position is in this box, its edges included: `west,south,east,north` in degrees (WGS 84). If `west` is greater than `east`, the box crosses the antimeridian.',
    style: 'form',
    explode: false,
    schema: { type: 'array', items: { type: 'number' }, minItems: 4, maxItems: 4 },
  },
  MaxAge: {
    name: 'max_age',
    in: 'query',
    description:
      'Only objects whose last position was taken at most so many seconds ago, by `time_device`.',
    schema: { type: 'integer', minimum: 0, maximum: 315360000 },
  },
  SkipUnpaid: {
    name: 'skip_exhausted',
    in: 'query',
    description:
      'Whether to leave out the objects whose daily quota is exhausted, before any filter. `X-Quota-Exhausted` names them. Without it, one of them refuses the whole call, wherever it is.',
    schema: { type: 'boolean', default: false },
  },
  Time: {
    name: 'time',
    in: 'query',
    required: true,
    description:
      'The moment: a date (its first millisecond in UTC) or an ISO 8601 datetime, UTC where it has no offset.',
    schema: TIME,
    examples: times('2026-11-20', '2026-11-20T08:00:00Z', '2026-11-20T11:00:00+03:00'),
  },
  FleetLimit: {
    name: 'limit',
    in: 'query',
    description: 'Maximum number of rows in a page. `Link` leads to the rows that are left.',
    schema: { type: 'integer', minimum: 1, maximum: 10000, default: 1000 },
  },
  Step: {
    name: 'step',
    in: 'query',
    description:
      'Only the first position of each interval of so many seconds of UTC, and the last position of the range. With it, `limit` is at most 10,000.',
    schema: { type: 'integer', minimum: 1, maximum: 86400 },
  },
  PositionInclude: {
    name: 'include',
    in: 'query',
    description:
      'More fields of each row. `quality`: `ignition`, `motion`, `hdop`, `gps_level`, `late` and `address_source`. `exact`: the counters in millimetres and milliseconds.',
    style: 'form',
    explode: false,
    schema: { type: 'array', items: { type: 'string', enum: ['quality', 'exact'] } },
  },
  ObjectIdent: ofVehicle('ident', 'Only the object with exactly this `ident`.'),
  ObjectVin: ofVehicle('vin', 'Only objects with exactly this `vin`.'),
  ObjectPlate: ofVehicle('plate_number', 'Only objects with exactly this `plate_number`.'),
  ObjectText: ofVehicle(
    'q',
    'Only objects with this text in `name`, `ident`, `vin` or `plate_number`, in upper or lower case.',
  ),
  ChangesCursor: {
    name: 'cursor',
    in: 'query',
    description: 'Where to continue: the `cursor` of the last page. Do not make or change one.',
    schema: { type: 'string' },
  },
  From: {
    name: 'from',
    in: 'query',
    description:
      'Without a cursor. `snapshot`: the catalogue and the state of each object, then changes. `history`: the same, then every kept position, then changes. `now`: only changes.',
    schema: { type: 'string', enum: ['snapshot', 'history', 'now'], default: 'snapshot' },
  },
  ChangesLimit: {
    name: 'limit',
    in: 'query',
    description: 'Maximum number of entries in a page.',
    schema: { type: 'integer', minimum: 1, maximum: 10000, default: 1000 },
  },
  Wait: {
    name: 'wait',
    in: 'query',
    description:
      'Seconds for which the server holds the request if there is nothing new. It answers as soon as something has changed.',
    schema: { type: 'integer', minimum: 0, maximum: 25, default: 0 },
  },
  Types: {
    name: 'types',
    in: 'query',
    description:
      'Only these types of entries. Without it, all that the server has for your organization: `trips`, `stops` and `visits` are among them once somebody has asked for them. A cursor keeps the types with which it began.',
    style: 'form',
    explode: false,
    schema: { type: 'array', items: { type: 'string', enum: CHANGE_TYPES } },
  },
  ChangesIds: {
    name: 'ids',
    in: 'query',
    description:
      'Only these objects, at most 1,000, and their positions and records. Ids that your organization does not have are left out. Places are not filtered by it.',
    style: 'form',
    explode: false,
    schema: { type: 'array', items: { type: 'integer', minimum: 0 }, maxItems: 1000 },
  },
  Include: {
    name: 'include',
    in: 'query',
    description:
      '`exact`: position rows also have `exact`, the counters in millimetres and milliseconds.',
    style: 'form',
    explode: false,
    schema: { type: 'array', items: { type: 'string', enum: ['exact'] } },
  },
  RecordsFromTime: {
    name: 'from_time',
    in: 'query',
    required: true,
    description:
      'Start of the range: records that end earlier are left out. A date (its first millisecond in UTC) or an ISO 8601 datetime, UTC where it has no offset.',
    schema: TIME,
    examples: times('2026-11-20', '2026-11-20T08:00:00Z', '2026-11-20T11:00:00+03:00'),
  },
  RecordsToTime: {
    name: 'to_time',
    in: 'query',
    required: true,
    description:
      'End of the range: records that start later are left out. A date (its last millisecond in UTC) or an ISO 8601 datetime, UTC where it has no offset. Not earlier than `from_time`.',
    schema: TIME,
    examples: times('2026-11-20', '2026-11-20T10:00:00Z', '2026-11-20T13:00:00+03:00'),
  },
  RecordsLimit: {
    name: 'limit',
    in: 'query',
    description: 'Maximum number of rows in a page. `Link` leads to the rows that are left.',
    schema: { type: 'integer', minimum: 1, maximum: 10000, default: 1000 },
  },
  RecordsIds: {
    name: 'ids',
    in: 'query',
    description:
      'Only these objects, at most 1,000. Ids that your organization does not have are left out. Without it, all objects.',
    style: 'form',
    explode: false,
    schema: { type: 'array', items: { type: 'integer', minimum: 0 }, maxItems: 1000 },
  },
  FromDate: {
    name: 'from_date',
    in: 'query',
    required: true,
    description: 'The first day, included.',
    schema: { type: 'string', format: 'date' },
    example: '2026-11-16',
  },
  ToDate: {
    name: 'to_date',
    in: 'query',
    required: true,
    description: 'The last day, included. Not earlier than `from_date`.',
    schema: { type: 'string', format: 'date' },
    example: '2026-11-20',
  },
  TimeZone: {
    name: 'tz',
    in: 'query',
    description:
      'The IANA time zone in which days begin and end, such as `Europe/Madrid`. Without it, the one of your organization: UTC, unless the operator has set another.',
    schema: { type: 'string' },
  },
  Geofences: placesOf('geofences'),
  Sites: placesOf('sites'),
  MinDuration: {
    name: 'min_duration',
    in: 'query',
    description: 'Only records that last at least so many seconds, or have done so far.',
    schema: { type: 'integer', minimum: 0, maximum: 315360000, default: 0 },
  },
  TableFormat: formatOf(TABLE_FORMATS),
  MapFormat: formatOf(MAP_FORMATS),
  PositionFormat: formatOf(POSITION_FORMATS),
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The `ETag` of the answer that you have, such as `W/"6pQ2kX0v3mZb"`.',
    schema: { type: 'string' },
  },
  SkipExhausted: {
    name: 'skip_exhausted',
    in: 'query',
    description:
      'Whether to leave out what a daily quota does not pay for. An entry `withheld` then says which positions of an object are missing. Without it, a page ends before the first entry that its object cannot pay.',
    schema: { type: 'boolean', default: false },
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    description: 'The id of the last event of a stream. It takes precedence over `cursor`.',
    schema: { type: 'string' },
  },
  AcceptLanguage: {
    name: 'Accept-Language',
    in: 'header',
    description: `Languages that error messages may come in, such as \`pt-BR, en;q=0.8\`, out of ${LANGUAGES.join(', ')}. Without a match: the language of your organization.`,
    schema: { type: 'string' },
  },
}

export type ParameterName = keyof typeof parameters

function formatOf(formats: readonly Format[]) {
  return {
    name: 'format',
    in: 'query',
    description:
      'The format of the rows. Without it, `Accept` chooses, and a tie or no match means `json`. Errors are JSON in any format.',
    schema: { type: 'string', enum: formats, default: 'json' },
  }
}

function selectedIds(required: boolean, absent: string) {
  return {
    name: 'ids',
    in: 'query',
    required,
    description:
      `Ids of objects, separated by commas, at most 1,000, or \`all\`. A repeated id counts once; ids that your organization does not have are left out of the answer. ${absent}`.trim(),
    style: 'form',
    explode: false,
    schema: {
      type: 'array',
      items: {
        oneOf: [
          { type: 'integer', minimum: 0 },
          { type: 'string', enum: ['all'] },
        ],
      },
      minItems: 1,
      maxItems: 1000,
    },
    ...(required && { example: [1071, 1072] }),
  }
}

function ofVehicle(name: string, description: string) {
  return { name, in: 'query', description, schema: { type: 'string' } }
}

function placesOf(places: 'geofences' | 'sites') {
  return {
    name: places,
    in: 'query',
    description: `Only visits to these ${places}, at most 1,000. Ids that your organization does not have are left out. With \`geofences\` or \`sites\`, visits to no other place are listed.`,
    style: 'form',
    explode: false,
    schema: { type: 'array', items: { type: 'integer', minimum: 0 }, maxItems: 1000 },
  }
}

function times(date: string, utc: string, offset: string): object {
  return {
    date: { summary: 'A date', value: date },
    utc: { summary: 'A moment in UTC', value: utc },
    offset: { summary: 'A moment with an offset', value: offset },
  }
}
