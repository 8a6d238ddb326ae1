import { LANGUAGES } from '../../domain/organization.ts'
import { type Format, MAP_FORMATS, POSITION_FORMATS, TABLE_FORMATS } from '../formats/formats.ts'
import type { Operation } from '../operation.ts'
import { OPERATIONS } from '../operations/operations.ts'

const FORMATS: Readonly<Record<string, readonly Format[]>> = {
  TableFormat: TABLE_FORMATS,
  MapFormat: MAP_FORMATS,
  PositionFormat: POSITION_FORMATS,
}

/** The parameters that follow from what else an operation is. */
const COMMON = {
  ...Object.fromEntries(Object.entries(FORMATS).map(([key, formats]) => [key, formatOf(formats)])),
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The `ETag` of the answer that you have, such as `W/"6pQ2kX0v3mZb"`.',
    schema: { type: 'string' },
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

function formatOf(formats: readonly Format[]) {
  return {
    name: 'format',
    in: 'query',
    description:
      'The format of the rows. Without it, `Accept` chooses, and a tie or no match means `json`. Errors are always JSON.',
    schema: { type: 'string', enum: formats, default: 'json' },
  }
}

/** The names of an operation's parameters in the description, in its order. */
export function parametersOf(operation: Operation): string[] {
  const own = operation.parameters.documented.flatMap(({ described }) => Object.keys(described))
  if (operation.isPublic) return own
  const { formats, hasEntityTag, isStream } = operation
  const format = Object.keys(FORMATS).filter((key) => FORMATS[key] === formats)
  return [
    ...own,
    ...format,
    ...(hasEntityTag ? ['IfNoneMatch'] : []),
    ...(isStream ? ['LastEventId'] : []),
    'AcceptLanguage',
  ]
}

const OWN: Readonly<Record<string, object>> = Object.assign(
  {},
  ...OPERATIONS.flatMap(({ parameters: { documented } }) =>
    documented.map((each) => each.described),
  ),
)

/** Readers compare descriptions as text, so parameters keep the order that they had. New ones follow. */
const FIRST = [
  ...['ObjectId', 'RouteId', 'OneObject', 'FromTime', 'ToTime', 'Limit', 'Cursor'],
  ...['LatestIds', 'IdsAt', 'BoundingBox', 'MaxAge', 'SkipUnpaid', 'Time', 'FleetLimit', 'Step'],
  ...['PositionInclude', 'ObjectIdent', 'ObjectVin', 'ObjectPlate', 'ObjectText'],
  ...['ChangesCursor', 'From', 'ChangesLimit', 'Wait', 'Types', 'ChangesIds', 'Include'],
  ...['RecordsFromTime', 'RecordsToTime', 'RecordsLimit', 'RecordsIds', 'FromDate', 'ToDate'],
  ...['TimeZone', 'Geofences', 'Sites', 'MinDuration', ...Object.keys(FORMATS), 'IfNoneMatch'],
  ...['SkipExhausted', 'LastEventId', 'AcceptLanguage'],
]

const ALL: Readonly<Record<string, object>> = { ...OWN, ...COMMON }

/**
 * Request parameters by their names in the description. One that a first request does not need has no
 * `example`, because tools would send it in a trial.
 */
export const parameters = Object.fromEntries(
  [...new Set([...FIRST, ...Object.keys(ALL)])].map((key) => [key, ALL[key]!]),
)
