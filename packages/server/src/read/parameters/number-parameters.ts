import { DAY_MS } from '../../base/domain/time/time.ts'
import { invalidLimit, limitAboveMaximum, outOfRange, type Refusal } from '../refusal.ts'
import { type Parameter, valueIn } from './parameter.ts'

const DIGITS = /^[0-9]+$/
const POSITIVE_DIGITS = /^0*[1-9][0-9]*$/
const SECOND_MS = 1_000
/** Ten years. */
const MAX_SECONDS = 315_360_000

/** A whole number within bounds, both included. `absent`: its value if it is not given. */
function wholeNumber<Absent extends number | null>(
  key: string,
  name: string,
  description: string,
  { minimum, maximum, absent }: { minimum: number; maximum: number; absent: Absent },
): Parameter<number | Absent> {
  const bounds = { type: 'integer', minimum, maximum }
  const schema = absent === null ? bounds : { ...bounds, default: absent }
  return {
    described: { [key]: { name, in: 'query', description, schema } },
    single: [name],
    read: (query) => integerIn(name, valueIn(query, name), minimum, maximum, absent),
    write: (value) => (value === absent ? {} : { [name]: String(value) }),
    refusals: [outOfRange(name, String(minimum - 1), minimum, maximum)],
  }
}

function integerIn<Absent>(
  name: string,
  text: string | undefined,
  minimum: number,
  maximum: number,
  absent: Absent,
): number | Absent | Refusal {
  if (text === undefined) return absent
  const number = DIGITS.test(text) ? Number(text) : Number.NaN
  if (number >= minimum && number <= maximum) return number
  return outOfRange(name, text, minimum, maximum)
}

const PAGE = { minimum: 1, maximum: 10_000, absent: 1_000 }

const CHANGES = wholeNumber('ChangesLimit', 'limit', 'Maximum number of entries in a page.', PAGE)
/** Links always have it. */
export const CHANGES_LIMIT: Parameter<number> = {
  ...CHANGES,
  write: (entries) => ({ limit: String(entries) }),
}

/** Null: the request asks for a whole answer. */
function rowsLimit(key: string): Parameter<number | null> {
  const description =
    'Maximum number of rows in a page. With it, `Link` leads to the remaining rows. Without it, the answer has all rows of the range.'
  return wholeNumber(key, 'limit', description, { ...PAGE, absent: null })
}

export const RECORDS_LIMIT = rowsLimit('RecordsLimit')

/** The maximum is that of a page, or the smaller one that the operator set for an answer. */
export const FLEET_LIMIT: Parameter<number | null> = {
  ...rowsLimit('FleetLimit'),
  read(query, { maxHistoryRows }) {
    const most = Math.min(PAGE.maximum, maxHistoryRows ?? PAGE.maximum)
    return integerIn('limit', valueIn(query, 'limit'), PAGE.minimum, most, null)
  },
}

/** The rows of a page whose request has a cursor, but no `limit`. */
export const PAGE_ROWS = PAGE.absent

/** Null: the request asks for the whole range. */
export const HISTORY_LIMIT: Parameter<number | null> = {
  described: {
    Limit: {
      name: 'limit',
      in: 'query',
      description:
        'Maximum number of rows in one answer. With it, `Link` leads to the remaining rows. Without it, the answer has the whole range.',
      schema: { type: 'integer', minimum: 1 },
      example: 1000,
    },
  },
  single: ['limit'],
  read(query, { maxHistoryRows }) {
    const text = valueIn(query, 'limit')
    if (text === undefined) return null
    if (!POSITIVE_DIGITS.test(text)) return invalidLimit(text)
    const limit = Number(text)
    if (maxHistoryRows !== null && limit > maxHistoryRows) return limitAboveMaximum(maxHistoryRows)
    // A limit above the safe integers means all rows.
    return Number.isSafeInteger(limit) ? limit : null
  },
  write: (limit) => ({ limit: String(limit) }),
  refusals: [invalidLimit('0')],
}

const SECONDS_OF_STEP = wholeNumber(
  'Step',
  'step',
  'Only the first position of each interval of this many seconds of UTC, and the last position of the range. With it, `limit` is at most 10,000.',
  { minimum: 1, maximum: DAY_MS / SECOND_MS, absent: null },
)

/** The length of an interval in ms. Null: the request asks for all positions. */
export const STEP: Parameter<number | null> = {
  ...SECONDS_OF_STEP,
  read(query, context) {
    const seconds = SECONDS_OF_STEP.read(query, context)
    return typeof seconds === 'number' ? seconds * SECOND_MS : seconds
  },
  write: (stepMs) => (stepMs === null ? {} : { step: String(stepMs / SECOND_MS) }),
}

/** A page of rows by step is read before it is sent. */
export const STEP_OF_PAGES: Parameter<number | null> = {
  ...STEP,
  read(query, context) {
    const limit = HISTORY_LIMIT.read(query, context)
    const stepMs = STEP.read(query, context)
    const isTooMuch = typeof limit === 'number' && limit > PAGE.maximum
    if (typeof stepMs !== 'number' || !isTooMuch) return stepMs
    return outOfRange('limit', String(limit), PAGE.minimum, PAGE.maximum)
  },
}

export const MAX_AGE = wholeNumber(
  'MaxAge',
  'max_age',
  'Only objects whose last position was taken at most this many seconds ago, by `time_device`.',
  { minimum: 0, maximum: MAX_SECONDS, absent: null },
)

export const MIN_DURATION = wholeNumber(
  'MinDuration',
  'min_duration',
  'Only records that last at least this many seconds, or have lasted that long so far.',
  { minimum: 0, maximum: MAX_SECONDS, absent: 0 },
)

export const WAIT = wholeNumber(
  'Wait',
  'wait',
  'Maximum seconds to wait if there is nothing new. The server answers as soon as something changes.',
  { minimum: 0, maximum: 25, absent: 0 },
)
