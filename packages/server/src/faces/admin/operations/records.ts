import type { KeyObject } from 'node:crypto'
import { fleetOf, VIEWERS } from '../../../acts/act.ts'
import {
  type AskedRecords,
  askForRecords,
  readPage,
  reportColumns,
  reportRow,
  rowsOf,
  rowsOfPages,
} from '../../../acts/records.ts'
import { notFound, Refused } from '../../../acts/refused.ts'
import type { StreamedReply } from '../../../acts/reply.ts'
import { CSV_FILE, csvReply } from '../../../acts/spreadsheet.ts'
import type { RecordType } from '../../../base/domain/items.ts'
import { formatInstant } from '../../../base/domain/time/time.ts'
import { parseQuery } from '../../../read/exchange/request.ts'
import { messageOf } from '../../../read/messages/messages.ts'
import { IDS, IDS_OR_ALL } from '../../../read/parameters/objects.ts'
import { UNLIMITED } from '../../../read/parameters/parameter.ts'
import { invalidCursor, type Refusal, type RefusalMessage } from '../../../read/refusal.ts'
import {
  type PagedRecords,
  RECORDS,
  RECORDS_CURSORS,
  type RecordsQuery,
} from '../../../read/rows/record-selection.ts'
import { type AdminOperation, type Call, operations } from '../admin-api.ts'

/** Records of a file that are in memory at once. */
const FILE_PAGE = 1_000

const TIME = { type: 'string' }
const LIMIT = {
  schema: { type: 'integer', minimum: 1, maximum: 10_000, default: 1_000 },
  description: 'Maximum number of rows in a page.',
}
const CURSOR = { schema: { type: 'string' }, description: 'The `next` of the page before.' }

export const RECORD_OPERATIONS: AdminOperation[] = [
  ...operationsOf('trips', 'Trips'),
  ...operationsOf('stops', 'Stops'),
  ...operationsOf('visits', 'Visits'),
]

function operationsOf(type: RecordType, Noun: string): AdminOperation[] {
  const path = `/organizations/{organization}/${type}`
  const selection = selectionOf(type)
  return operations('Records', [
    {
      id: `list${Noun}`,
      method: 'GET',
      path,
      who: VIEWERS,
      summary: `List ${type} of a range of time, by object and start`,
      query: { described: { ...selection, limit: LIMIT, cursor: CURSOR } },
      answers: type,
      run: (call) => list(call, type),
    },
    {
      id: `export${Noun}`,
      method: 'GET',
      path: `${path}.csv`,
      who: VIEWERS,
      summary: `All ${type} of a range of time as a CSV file for spreadsheets`,
      query: { described: selection },
      answers: CSV_FILE,
      run: (call) => exportFile(call, type),
    },
  ])
}

type Parameters = NonNullable<AdminOperation['query']>['described']

/** The parameters of the public API that choose records. */
function selectionOf(type: RecordType): Parameters {
  const places = (kind: string) => ({
    schema: IDS,
    isJoined: true,
    description: `Only visits to these ${kind}, at most 1,000 ids separated by commas.`,
  })
  return {
    from_time: {
      schema: TIME,
      isRequired: true,
      description:
        'Records that end earlier are left out. A date (its first moment in UTC) or a time.',
    },
    to_time: {
      schema: TIME,
      isRequired: true,
      description:
        'Records that start later are left out. A date (its last moment in UTC) or a time.',
    },
    ids: {
      schema: IDS_OR_ALL,
      isJoined: true,
      description:
        'Only these objects, at most 1,000 ids separated by commas, or `all`, as without it.',
    },
    ...(type !== 'trips' && {
      min_duration: {
        schema: { type: 'integer', minimum: 0, maximum: 315_360_000, default: 0 },
        description:
          'Only records that last at least this many seconds, or have lasted that long so far.',
      },
    }),
    ...(type === 'visits' && { geofences: places('geofences'), sites: places('sites') }),
  }
}

/** A request for records whose parameters are valid. */
type Asked = AskedRecords & { paged: PagedRecords }

async function list(call: Call, type: RecordType) {
  const { store } = call.api
  const secret = await store.secret()
  const asked = await askedOf(call, type, secret)
  const { rows, next } = await readPage(store, asked)
  const failures = await store.records.failures(asked.paged.organization)
  return {
    items: await rowsOf(asked.sources, rows),
    derived_until: asked.until === null ? null : formatInstant(asked.until),
    failures: failures.map(({ kind, id, failedAt, error }) => ({
      ...{ kind, id, failed_at: formatInstant(failedAt!), error },
    })),
    next: next && RECORDS_CURSORS.seal(secret, asked.paged, next),
  }
}

/** Reads the first page before anything is sent, so that a failing store gets a clean 503. */
async function exportFile(call: Call, type: RecordType): Promise<StreamedReply> {
  const { store } = call.api
  const asked = await askedOf(call, type, null)
  if (asked.until === null) throw notDerived(type)
  const first = await readPage(store, asked)
  const pages = reportPages(rowsOfPages(store, asked, first), asked, call.now)
  return csvReply(`${type}-${asked.paged.organization}`, reportColumns(type), pages, {
    'X-Records-Until': formatInstant(asked.until),
  })
}

function notDerived(type: RecordType): Refused {
  const message = `the ${type} of this organization are being derived from its positions; try again in a moment`
  return new Refused(503, 'not_derived', message, { headers: { 'Retry-After': '5' } })
}

async function* reportPages(pages: AsyncIterable<object[]>, asked: Asked, now: number) {
  const { paged, sources } = asked
  const report = (row: object) => reportRow(paged.type, row, sources.organization, now)
  for await (const rows of pages) yield rows.map(report)
}

/** `secret`: opens the cursor. Null: the operation has none, and reads all pages. */
async function askedOf(call: Call, type: RecordType, secret: KeyObject | null): Promise<Asked> {
  const { api, now } = call
  const { store, knownAddresses } = api
  const fleet = await fleetOf(call)
  const { organization } = fleet
  const asked = accepted(queryOf(call, type, secret === null))
  const paged = { organization: organization.id, type, asked }
  const after = secret === null ? null : RECORDS_CURSORS.open(secret, paged, paged.asked.cursor)
  if (after === undefined) throw refusedQuery(invalidCursor)
  const objects = await fleet.objects()
  const parts = { organization, objects, knownAddresses }
  return { ...accepted(await askForRecords(store, type, asked, { after, now }, parts)), paged }
}

function queryOf({ query }: Call, type: RecordType, isWhole: boolean): RecordsQuery | Refusal {
  const asked = RECORDS[type].read(parseQuery(query.toString()), UNLIMITED)
  if ('status' in asked || !isWhole) return asked
  return { ...asked, limit: FILE_PAGE, cursor: undefined }
}

function accepted<Value extends object>(read: Value | Refusal): Value {
  if ('status' in read) throw refusedQuery(read as Refusal)
  return read
}

/** The parameter of a message that names none. */
const PARAMETERS: Partial<Record<RefusalMessage['key'], string>> = {
  fromTimeRequired: 'from_time',
  toTimeRequired: 'to_time',
  rangeReversed: 'from_time',
  invalidCursor: 'cursor',
}

/** The refusal of a query by a reader of the public API. */
function refusedQuery(refusal: Refusal): Refused {
  const { message } = refusal
  if (message.key === 'objectNotFound') return notFound('object')
  if (message.key === 'placeNotFound') return notFound('place')
  return new Refused(400, 'invalid', messageOf(refusal, 'en'), { field: parameterOf(message) })
}

function parameterOf(message: RefusalMessage): string | null {
  if ('parameter' in message) return message.parameter
  return message.key === 'repeatedParameter' ? message.name : (PARAMETERS[message.key] ?? null)
}
