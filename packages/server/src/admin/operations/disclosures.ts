import type { Disclosure } from '../../domain/disclosure.ts'
import { DAY_MS, parseDate, utcDay } from '../../domain/time/time.ts'
import { type IntegerSchema, integerIn } from '../../operator/input.ts'
import { invalid } from '../../operator/refused.ts'
import * as doc from '../../operator/schema.ts'
import type { DisclosureQuery } from '../../store/usage-store.ts'
import { type Call, StreamedReply } from '../admin-api.ts'
import { operations } from '../operation.ts'
import { CSV_FILE, spreadsheetCsv } from '../record-csv.ts'
import { fleetOf } from './organizations.ts'

const PATH = '/organizations/{organization}/disclosures'
const MAX_ROWS = 10_000
const LIMIT: IntegerSchema = { type: 'integer', minimum: 1, maximum: MAX_ROWS, default: 1_000 }
const ID: IntegerSchema = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }
/** Days without `from`, today among them. */
const DAYS = 30
const DISCLOSURE = doc.record(
  {
    date: doc.day('The day in UTC.'),
    key: doc.integer('Id of the API key.'),
    key_name: doc.textOrNull('Its purpose.'),
    object: doc.integer('Id of the object.'),
    name: doc.textOrNull('Its name. Null: it was deleted.'),
    ident: doc.textOrNull('Its ident. Null: it was deleted.'),
    requests: doc.integer('Requests with something of the object in their answers.'),
    rows: doc.integer('Positions, states, records and days of the object in these answers.'),
  },
  'How much of an object a key was shown on a day.',
  'Disclosure',
)
const DISCLOSURES = doc.record(
  {
    items: doc.list(DISCLOSURE),
    has_more: doc.yes('Whether there are more than `limit`; ask for fewer days, or the CSV file.'),
  },
  'Rows by day, key and object.',
  'Disclosures',
)

const DATE = { type: 'string', format: 'date' }
const SELECTION = {
  from: { schema: DATE, description: 'The first day in UTC. Default: 29 days ago.' },
  to: { schema: DATE, description: 'The last day in UTC. Default: today.' },
  key: { schema: ID, description: 'Only what this API key was shown.' },
  object: { schema: ID, description: 'Only what was shown of this object.' },
} as const

export const DISCLOSURE_OPERATIONS = operations('Usage', [
  {
    id: 'listDisclosures',
    method: 'GET',
    path: PATH,
    summary: 'How much of each object each key was shown, day by day',
    query: { ...SELECTION, limit: { schema: LIMIT, description: 'Most rows of a page.' } },
    answers: DISCLOSURES,
    async run(call) {
      const limit = integerIn(call.query, 'limit', LIMIT)
      const { name, page } = await readerOf(call)
      const found = await page(null, limit + 1)
      return { items: found.slice(0, limit).map(name), has_more: found.length > limit }
    },
  },
  {
    id: 'exportDisclosures',
    method: 'GET',
    path: `${PATH}.csv`,
    summary: 'The same as a CSV file for spreadsheets',
    query: SELECTION,
    answers: CSV_FILE,
    async run(call) {
      const { organization, name, page } = await readerOf(call)
      const first = await page(null, MAX_ROWS)
      return new StreamedReply(csvOf(first, page, name), {
        'Content-Type': 'text/csv; charset=utf-8',
        'Content-Disposition': `attachment; filename="disclosures-${organization}.csv"`,
      })
    },
  },
])

type ReadPage = (after: Disclosure | null, limit: number) => Promise<Disclosure[]>
type Named = ReturnType<Awaited<ReturnType<typeof readerOf>>['name']>

async function readerOf(call: Call) {
  const { api } = call
  const fleet = await fleetOf(call)
  const { id: organization } = fleet.organization
  const query = queryIn(call)
  await api.disclosures.write()
  const objects = await fleet.objects()
  const listed = await api.store.keys.list(organization)
  const keys = new Map(listed.map(({ id, name }) => [id, name]))
  const page: ReadPage = (after, limit) =>
    api.store.disclosures.list(organization, query, after, limit)
  return {
    ...{ organization, page },
    name(shown: Disclosure) {
      const { name = null, ident = null } = objects.get(shown.object)?.object ?? {}
      const keyName = keys.get(shown.key) ?? null
      return DISCLOSURE.write({ ...shown, date: shown.day, keyName, name, ident })
    },
  }
}

function queryIn({ query, now }: Call): DisclosureQuery {
  const today = utcDay(now)
  const to = dayIn(query, 'to') ?? today
  const from = dayIn(query, 'from') ?? to - DAYS + 1
  if (from > to) throw invalid({ field: 'from', rule: 'must not be later than to' })
  const idIn = (field: string) => (query.has(field) ? integerIn(query, field, ID) : undefined)
  return { from, to, key: idIn('key'), object: idIn('object') }
}

function dayIn(query: URLSearchParams, field: string): number | undefined {
  const written = query.get(field)
  if (written === null) return undefined
  const date = parseDate(written)
  if (date === undefined) throw invalid({ field, rule: 'must be a date such as 2026-11-20' })
  return date / DAY_MS
}

async function* csvOf(
  first: Disclosure[],
  page: ReadPage,
  name: (disclosure: Disclosure) => Named,
): AsyncGenerator<Buffer> {
  const { head, row } = spreadsheetCsv(Object.keys(DISCLOSURE.fields))
  yield Buffer.from(head)
  for (let rows = first; rows.length > 0; rows = await page(rows.at(-1)!, MAX_ROWS)) {
    yield Buffer.from(rows.map((each) => row(name(each))).join(''))
    if (rows.length < MAX_ROWS) return
  }
}
