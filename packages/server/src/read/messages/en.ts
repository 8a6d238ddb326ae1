import type { Language } from '../../base/domain/organization.ts'
import type { RefusalMessage } from '../refusal.ts'

type Parameters<Key> = Omit<Extract<RefusalMessage, { key: Key }>, 'key'>

/** The messages of one language, as functions of their parameters. */
export type Messages = {
  readonly [Key in RefusalMessage['key']]: (of: Parameters<Key>) => string
}

type Forms = { readonly [Rule in Intl.LDMLPluralRule]?: string } & { readonly other: string }

/** The form of a word for a number in the language (CLDR cardinal rules). */
export function pluralIn(language: Language): (count: number, forms: Forms) => string {
  const rules = new Intl.PluralRules(language)
  return (count, forms) => forms[rules.select(count)] ?? forms.other
}

const plural = pluralIn('en')

export const en: Messages = {
  unauthorized: () => 'Unauthorized',
  tooManyRequests: ({ seconds }) =>
    `ThrottlerException: Too Many Requests. Retry in ${seconds} ${plural(seconds, { one: 'second', other: 'seconds' })}.`,
  tooManyWholeAnswers: () =>
    'ThrottlerException: Too Many Requests. Two answers without limit are already in progress. Retry later, or set limit.',
  operationNotOpened: () => 'The scope of this API key does not include this operation.',
  subscriptionInactive: ({ state }) =>
    state === 'suspended'
      ? 'The subscription of your organization is suspended. Please contact the admin.'
      : 'The subscription of your organization is inactive and its access to positions suspended. Please contact the admin.',
  invalidId: ({ parameter, value }) =>
    `${parameter} must be an integer written in digits, not "${value}".`,
  fromTimeRequired: () =>
    'From Time is required: give from_time as a date (YYYY-MM-DD) or an ISO 8601 datetime.',
  toTimeRequired: () =>
    'To Time is required: give to_time as a date (YYYY-MM-DD) or an ISO 8601 datetime.',
  timeRequired: () => 'time is required: give a date (YYYY-MM-DD) or an ISO 8601 datetime.',
  invalidTime: ({ parameter, value }) =>
    `${parameter} must be an existing date (YYYY-MM-DD) or ISO 8601 datetime, not "${value}".`,
  dateRequired: ({ parameter }) => `${parameter} is required: give a date (YYYY-MM-DD).`,
  invalidDate: ({ parameter, value }) =>
    `${parameter} must be an existing date (YYYY-MM-DD), not "${value}".`,
  invalidTimeZone: ({ value }) =>
    `tz must be an IANA time zone such as Europe/Madrid, not "${value}".`,
  objectRequired: () => 'object is required: give the id of one object.',
  rangeReversed: ({ range }) => `from_${range} must not be later than to_${range}.`,
  repeatedParameter: ({ name }) => `${name} must be given only once.`,
  unknownParameter: ({ name, nearest }) =>
    `${name} is not a parameter of this operation. Did you mean ${nearest}?`,
  invalidLimit: ({ value }) =>
    `limit must be an integer of at least 1 written in digits, not "${value}".`,
  limitAboveMaximum: ({ maximum }) => `limit must be at most ${maximum}.`,
  rangeAboveMaximum: ({ range, days }) =>
    `The range from from_${range} to to_${range} must span at most ${days} ${plural(days, { one: 'day', other: 'days' })}.`,
  rowsAboveMaximum: ({ maximum }) =>
    `The range has more than ${maximum} ${plural(maximum, { one: 'row', other: 'rows' })}, the maximum of one answer: use a limit of at most ${maximum} or a shorter range.`,
  rowsAboveSheet: ({ maximum }) =>
    `The answer has more than ${maximum} rows, the maximum of a spreadsheet: use a limit, a shorter range or another format.`,
  positionsAboveMaximum: ({ maximum }) =>
    `The range has more than ${maximum} positions, the maximum of one answer: use a shorter range.`,
  idsRequired: () => 'ids is required: give object ids separated by commas.',
  invalidIds: ({ parameter, value }) =>
    `${parameter} must be integers written in digits and separated by commas, not "${value}".`,
  tooManyValues: ({ parameter, maximum }) => `${parameter} must have at most ${maximum} values.`,
  invalidBox: ({ value }) =>
    `bbox must be west,south,east,north in degrees: longitudes from -180 to 180, latitudes from -90 to 90, south not above north. It is not "${value}".`,
  invalidCursor: () =>
    'cursor is not valid: follow the next link unchanged, or start again without cursor.',
  invalidChoice: ({ parameter, value, choices }) =>
    `${parameter} must be one of ${choices.join(', ')}, not "${value}".`,
  outOfRange: ({ parameter, value, minimum, maximum }) =>
    `${parameter} must be an integer from ${minimum} to ${maximum} written in digits, not "${value}".`,
  noTextAttribute: ({ value }) =>
    `by must be the name of a text attribute, not "${value}". GET /attributes lists the attributes.`,
  unknownAttribute: ({ value }) =>
    `attributes has the unknown name "${value}". GET /attributes lists the names.`,
  differsFromCursor: ({ parameter }) =>
    `${parameter} differs from the request that returned the cursor: leave it out, or start again without cursor.`,
  cursorExpired: () => 'cursor is too old: start again without cursor.',
  objectNotFound: () => 'Object not found.',
  placeNotFound: () => 'Place not found.',
  quotaExhausted: ({ ids }) =>
    `The daily API usage quota is exhausted for ${plural(ids.length, { one: 'object', other: 'objects' })} ${ids.join(', ')}. It is renewed at 00:00 UTC.`,
  pathNotFound: () => 'This path does not exist.',
  methodNotAllowed: ({ allow }) => `Method not allowed. Use ${allow}.`,
  unknownFormat: ({ value, formats }) =>
    `Unknown format "${value}". Available formats: ${formats.join(', ')}.`,
  malformedRequest: () => 'The request is not well-formed HTTP.',
  headersTooLarge: () => 'The request headers are too large.',
  requestTimeout: () => 'The request did not arrive in time.',
  unavailable: () => 'The service is temporarily unavailable. Please try again later.',
  recordsNotDerived: () => 'Your records are being derived for the first time. Try again later.',
  internal: () => 'Internal server error.',
}
