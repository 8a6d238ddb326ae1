import type { KeyObject } from 'node:crypto'
import { byTopic, RECORD_TYPES, type RecordType, schemaNameOf } from '../base/domain/item-rules.ts'
import { formatInstant } from '../base/domain/time/time.ts'
import { parseQuery } from '../read/exchange/request.ts'
import { messageOf } from '../read/messages/refusal-messages.ts'
import { IDS, IDS_OR_ALL } from '../read/parameters/object-parameters.ts'
import { UNLIMITED } from '../read/parameters/parameter.ts'
import { invalidCursor, type Refusal, type RefusalMessage } from '../read/refusal.ts'
import {
  type PagedRecords,
  RECORDS,
  RECORDS_CURSORS,
  type RecordsQuery,
} from '../read/rows/record-selection.ts'
import { type Act, type ActCall, acts, fleetOf, VIEWERS } from './act.ts'
import type { QueryParameter } from './query.ts'
import {
  type AskedRecords,
  askForRecords,
  readPage,
  reportRow,
  reportTable,
  rowsOf,
  rowsOfPages,
} from './record-reports.ts'
import { notFound, Refused } from './refused.ts'
import { FILE_WORDS, TABLE_FILES, type TableFile, tableReply } from './spreadsheet.ts'

/** Records of a file that are in memory at once. */
export const FILE_PAGE = 1_000

const TIME = { type: 'string' }
const LIMIT = {
  schema: { type: 'integer', minimum: 1, maximum: 10_000, default: 1_000 },
  description: 'Maximum number of rows in a page.',
}
const CURSOR = { schema: { type: 'string' }, description: 'The `next` of the previous page.' }

/** The acts on each type of records. */
export const RECORD_ACTS = byTopic(RECORD_TYPES, actsOn)
export const ALL_RECORD_ACTS: readonly Act[] = RECORD_TYPES.flatMap((type): Act[] => {
  const { list, csv, xlsx } = RECORD_ACTS[type]
  return [list, csv, xlsx]
})

function actsOn(type: RecordType) {
  const Noun = schemaNameOf(type)
  const path = `/organizations/{organization}/${type}`
  const selection = selectionOf(type)
  return acts('Records', {
    list: {
      id: `list${Noun}`,
      method: 'GET',
      path,
      who: VIEWERS,
      summary: `List ${type} of a range of time, by object and start`,
      query: { described: { ...selection, limit: LIMIT, cursor: CURSOR } },
      answers: type,
      run: (call) => list(call, type),
    },
    csv: fileOf('csv', type, `export${Noun}`),
    xlsx: fileOf('xlsx', type, `export${Noun}Workbook`),
    /** The same for the command line, which shows the records that there are so far too. */
    report: {
      method: 'GET',
      path,
      who: VIEWERS,
      summary: `List the ${type} of a range of time`,
      async run(call) {
        const { organization, until, pages } = await reportOf(call, type, misuse)
        return {
          organization: organization.id,
          isWhole: until !== null,
          rows: (await Array.fromAsync(pages)).flat(),
        }
      },
    },
  })
}

/** The parameters of the public API that choose records. */
function selectionOf(type: RecordType): Readonly<Record<string, QueryParameter>> {
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
        'Only these objects, at most 1,000 ids separated by commas, or `all`, the default.',
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

async function list(call: ActCall, type: RecordType) {
  const { store } = call
  const secret = await store.secret()
  const asked = await askedOf(call, type, secret, refusedQuery)
  const { rows, next } = await readPage(store, asked)
  discloseRecords(call, rows)
  const failures = await store.records.failures(asked.paged.organization)
  return {
    items: await rowsOf(asked.sources, rows),
    recomputing: await store.positions.waitingForRefold(asked.paged.organization),
    derived_until: asked.until === null ? null : formatInstant(asked.until),
    failures: failures.map(({ kind, id, failedAt, error }) => ({
      ...{ kind, id, failed_at: formatInstant(failedAt!), error },
    })),
    next: next && RECORDS_CURSORS.seal(secret, asked.paged, next),
  }
}

/** Reads the first page at once, so that a failing store gets a clean 503. */
async function reportOf(call: ActCall, type: RecordType, refuse: Refuse) {
  const { store } = call
  const asked = await askedOf(call, type, null, refuse)
  const { organization } = asked.sources
  const first = await readPage(store, asked)
  const shown = (page: Parameters<typeof discloseRecords>[1]) => discloseRecords(call, page)
  const pages = reportPages(rowsOfPages(store, asked, first, shown), asked, call.now)
  return { organization, until: asked.until, pages }
}

function discloseRecords({ disclosed }: ActCall, page: readonly { object: number }[]): void {
  for (const { object } of page) disclosed.rows(object, 'records', 1)
}

/** The act that makes a file. Its times are in the time zone of the organization. */
function fileOf(file: TableFile, type: RecordType, id: string) {
  return {
    id,
    method: 'GET',
    path: `/organizations/{organization}/${type}.${file}`,
    who: VIEWERS,
    summary: `All ${type} of a range of time as ${FILE_WORDS[file]}`,
    query: { described: selectionOf(type) },
    answers: TABLE_FILES[file],
    async run(call: ActCall) {
      const { organization, until, pages } = await reportOf(call, type, refusedQuery)
      if (until === null) throw notDerived(type)
      const { id, timeZone } = organization
      const table = { name: `${type}-${id}`, ...reportTable(type), timeZone, pages }
      return tableReply(file, table, { 'X-Records-Until': formatInstant(until) })
    },
  } as const
}

export function notDerived(type: RecordType | 'days'): Refused {
  const message = `the ${type} of this organization are being derived from its positions; try again in a moment`
  return new Refused(503, 'not_derived', message, { headers: { 'Retry-After': '5' } })
}

async function* reportPages(pages: AsyncIterable<object[]>, asked: Asked, now: number) {
  const { paged, sources } = asked
  const report = (row: object) => reportRow(paged.type, row, sources.organization, now)
  for await (const rows of pages) yield rows.map(report)
}

/** Makes an error of a refusal of the public API. */
export type Refuse = (refusal: Refusal) => Refused

/** `secret`: opens the cursor. Null: the operation has none, and reads all pages. */
async function askedOf(
  call: ActCall,
  type: RecordType,
  secret: KeyObject | null,
  refuse: Refuse,
): Promise<Asked> {
  const accepted = <Value extends object>(read: Value | Refusal): Value => {
    if ('status' in read) throw refuse(read as Refusal)
    return read
  }
  const { store, known, now } = call
  const fleet = await fleetOf(call)
  const { organization } = fleet
  const asked = accepted(queryOf(call, type, secret === null))
  const paged = { organization: organization.id, type, asked }
  const after = secret === null ? null : RECORDS_CURSORS.open(secret, paged, paged.asked.cursor)
  if (after === undefined) throw refuse(invalidCursor)
  const objects = await fleet.objects()
  const parts = { organization, objects, knownAddresses: known.addresses }
  return { ...accepted(await askForRecords(store, type, asked, { after, now }, parts)), paged }
}

function queryOf({ query }: ActCall, type: RecordType, isWhole: boolean): RecordsQuery | Refusal {
  const asked = RECORDS[type].read(parseQuery(query.toString()), UNLIMITED)
  if ('status' in asked || !isWhole) return asked
  return { ...asked, limit: FILE_PAGE, cursor: undefined }
}

/** The parameter of a message that names none. */
const PARAMETERS: Partial<Record<RefusalMessage['key'], string>> = {
  fromTimeRequired: 'from_time',
  toTimeRequired: 'to_time',
  invalidCursor: 'cursor',
  invalidTimeZone: 'tz',
  noTextAttribute: 'by',
  unknownAttribute: 'attributes',
}

/** The refusal of a query by a reader of the public API. */
export function refusedQuery(refusal: Refusal): Refused {
  const { message } = refusal
  if (message.key === 'objectNotFound') return notFound('object')
  if (message.key === 'placeNotFound') return notFound('place')
  return misuse(refusal)
}

export function misuse(refusal: Refusal): Refused {
  const field = parameterOf(refusal.message)
  return new Refused(400, 'invalid', messageOf(refusal, 'en'), { field })
}

function parameterOf(message: RefusalMessage): string | null {
  if ('parameter' in message) return message.parameter
  if ('range' in message) {
    return `${message.key === 'rangeReversed' ? 'from' : 'to'}_${message.range}`
  }
  return message.key === 'repeatedParameter' ? message.name : (PARAMETERS[message.key] ?? null)
}
