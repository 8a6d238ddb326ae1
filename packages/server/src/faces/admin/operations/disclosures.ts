import { OVERSEERS } from '../../../acts/act.ts'
import {
  type AskedDisclosures,
  askDisclosures,
  DISCLOSURE,
  DISCLOSURE_DAYS,
  disclosurePages,
  RECIPIENT,
  type RecipientQuery,
} from '../../../acts/disclosures.ts'
import { type IntegerSchema, integerIn } from '../../../acts/input.ts'
import { invalid } from '../../../acts/refused.ts'
import * as doc from '../../../acts/schema.ts'
import { DAY_MS, parseDate, utcDay } from '../../../base/domain/time/time.ts'
import { type Call, operations, StreamedReply } from '../admin-api.ts'
import { fleetOf } from './organizations.ts'
import { CSV_FILE, spreadsheetCsv } from './records.ts'

const PATH = '/organizations/{organization}/disclosures'
const MAX_ROWS = 10_000
const LIMIT: IntegerSchema = { type: 'integer', minimum: 1, maximum: MAX_ROWS, default: 1_000 }
const ID: IntegerSchema = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }
const DISCLOSURES = doc.record(
  {
    items: doc.list(DISCLOSURE),
    has_more: doc.yes(
      'Whether there are more than `limit`. Then ask for fewer days, or for a file.',
    ),
  },
  'Rows by day, key and object.',
  'Disclosures',
)
const RECIPIENTS = doc.items(RECIPIENT, 'By recipient, purpose and kind of data.', 'Recipients')

const DATE = { type: 'string', format: 'date' }
const SELECTION = {
  from: { schema: DATE, description: 'The first day in UTC. Default: 29 days ago.' },
  to: { schema: DATE, description: 'The last day in UTC. Default: today.' },
  recipient: {
    schema: { type: 'string' },
    description:
      'Only data that this recipient was given. Empty: data that was given without a recipient.',
  },
  key: { schema: ID, description: 'Only data that this API key was shown.' },
  object: { schema: ID, description: 'Only data of this object.' },
} as const

export const DISCLOSURE_OPERATIONS = operations('Usage', [
  {
    id: 'listDisclosures',
    method: 'GET',
    path: PATH,
    who: OVERSEERS,
    summary: 'List how much of each object each key was shown, day by day',
    query: {
      ...SELECTION,
      limit: { schema: LIMIT, description: 'Maximum number of rows in a page.' },
    },
    answers: DISCLOSURES,
    async run(call) {
      const limit = integerIn(call.query, 'limit', LIMIT)
      const { document, page } = await askedIn(call)
      const found = await page(null, limit + 1)
      return { items: found.slice(0, limit).map(document), has_more: found.length > limit }
    },
  },
  {
    id: 'listRecipients',
    method: 'GET',
    path: `${PATH}/recipients`,
    who: OVERSEERS,
    summary: 'What each recipient was given: totals by purpose and kind of data',
    query: SELECTION,
    answers: RECIPIENTS,
    run: async (call) => ({ items: await (await askedIn(call)).totals() }),
  },
  {
    id: 'exportDisclosures',
    method: 'GET',
    path: `${PATH}.csv`,
    who: OVERSEERS,
    summary: 'All disclosures of a selection, as a CSV file for spreadsheets',
    query: SELECTION,
    answers: CSV_FILE,
    run: (call) => fileOf(call, 'csv', 'text/csv; charset=utf-8', csvOf),
  },
  {
    id: 'exportDisclosuresJson',
    method: 'GET',
    path: `${PATH}.json`,
    who: OVERSEERS,
    summary: 'All disclosures of a selection, as a JSON file',
    query: SELECTION,
    answers: DISCLOSURES,
    run: (call) => fileOf(call, 'json', 'application/json', jsonOf),
  },
])

async function askedIn(call: Call): Promise<AskedDisclosures> {
  const { api } = call
  const fleet = await fleetOf(call)
  const query = queryIn(call)
  await api.disclosures.write()
  const objects = await fleet.objects()
  const nameOf = (object: number) => objects.get(object)?.object
  return askDisclosures(api.store, fleet.organization.id, query, nameOf)
}

function queryIn({ query, now }: Call): RecipientQuery {
  const today = utcDay(now)
  const to = dayIn(query, 'to') ?? today
  const from = dayIn(query, 'from') ?? to - DISCLOSURE_DAYS + 1
  if (from > to) throw invalid({ field: 'from', rule: 'must not be later than to' })
  const idIn = (field: string) => (query.has(field) ? integerIn(query, field, ID) : undefined)
  const recipient = query.get('recipient') ?? undefined
  return { from, to, recipient, key: idIn('key'), object: idIn('object') }
}

function dayIn(query: URLSearchParams, field: string): number | undefined {
  const written = query.get(field)
  if (written === null) return undefined
  const date = parseDate(written)
  if (date === undefined) throw invalid({ field, rule: 'must be a date such as 2026-11-20' })
  return date / DAY_MS
}

type Shown = ReturnType<AskedDisclosures['document']>
type Pages = AsyncIterable<Shown[]>

async function fileOf(
  call: Call,
  ending: string,
  type: string,
  form: (pages: Pages) => AsyncIterable<Buffer>,
): Promise<StreamedReply> {
  const asked = await askedIn(call)
  const first = await asked.page(null, MAX_ROWS)
  return new StreamedReply(form(disclosurePages(asked, first, MAX_ROWS)), {
    'Content-Type': type,
    'Content-Disposition': `attachment; filename="disclosures-${call.params.organization}.${ending}"`,
  })
}

async function* csvOf(pages: Pages): AsyncGenerator<Buffer> {
  const { head, row } = spreadsheetCsv(Object.keys(DISCLOSURE.fields))
  yield Buffer.from(head)
  for await (const rows of pages) yield Buffer.from(rows.map(row).join(''))
}

/** The document of the list, whole. */
async function* jsonOf(pages: Pages): AsyncGenerator<Buffer> {
  let before = '{"items":['
  for await (const rows of pages) {
    yield Buffer.from(before + rows.map((each) => JSON.stringify(each)).join(','))
    before = ','
  }
  yield Buffer.from(`${before === ',' ? '' : before}],"has_more":false}`)
}
