import { DISCLOSURE_SOURCES, type DisclosureSource } from '../base/domain/disclosure.ts'
import {
  DATE,
  described,
  ID,
  oneOf,
  optional,
  type Rules,
  TEXT,
  wholeNumber,
} from '../base/domain/setting-rule.ts'
import { DAY_MS, parseDate, utcDay } from '../base/domain/time/time.ts'
import { type ActCall, acts, fleetOf, OVERSEERS } from './act.ts'
import type { StreamedReply } from './act-reply.ts'
import {
  type AskedDisclosures,
  askDisclosures,
  DISCLOSURE,
  DISCLOSURE_DAYS,
  disclosurePages,
  RECIPIENT,
} from './disclosures.ts'
import * as doc from './document-schema.ts'
import { queryInput } from './query.ts'
import { invalid } from './refused.ts'
import { FILE_WORDS, fileReply, TABLE_FILES, type TableFile, tableReply } from './spreadsheet.ts'

const PATH = '/organizations/{organization}/disclosures'
const MAX_ROWS = 10_000
const DISCLOSURES = doc.record(
  {
    items: doc.list(DISCLOSURE),
    has_more: doc.yes(
      'Whether there are more than `limit`. Then ask for fewer days, or for a file.',
    ),
  },
  'Rows by day, reader and object.',
  'Disclosures',
)
const RECIPIENTS = doc.items(RECIPIENT, 'By recipient, purpose and kind of data.', 'Recipients')

type Selection = {
  from: string | null
  to: string | null
  /** Empty: without one. */
  recipient: string | null
  source: DisclosureSource | null
  sourceId: number | null
  key: number | null
  object: number | null
}

const DAY = { ...optional(DATE), placeholder: 'date' }
const ANY_ID = { ...optional({ ...wholeNumber(0), says: ID.says }), placeholder: 'id' }
const RULES: Rules<Selection> = {
  from: described(DAY, 'The first day in UTC. Default: 29 days ago.'),
  to: described(DAY, {
    description: 'The last day in UTC. Default: today.',
    help: 'the last day in UTC (default: today)',
  }),
  recipient: described(optional(TEXT), {
    description:
      'Only data given to this recipient. Empty: data given without a recipient, including to people.',
    help: "only data given to this recipient; '' for data given without a recipient",
    placeholder: 'name',
  }),
  source: described(
    { ...optional(oneOf(DISCLOSURE_SOURCES)), placeholder: 'source' },
    {
      description: 'Only data that this kind of source read.',
      help: `only data that this kind of source read: ${DISCLOSURE_SOURCES.join(', ')}`,
    },
  ),
  sourceId: described(ANY_ID, {
    description: 'Only data that readers with this id read, of any source or of `source`.',
    help: 'only data that readers with this id read',
  }),
  key: described(ANY_ID, {
    description: 'Only data that this API key read. Short for `source=key` with `source_id`.',
    help: 'only data that this key read',
  }),
  object: described(ANY_ID, 'Only data of this object.'),
}
const SELECTION = queryInput(RULES)
const PAGE = queryInput<Selection & { limit: number }>(
  { ...RULES, limit: described(wholeNumber(1, MAX_ROWS), 'Maximum number of rows in a page.') },
  { limit: 1_000 },
)

export const DISCLOSURE_ACTS = acts('Usage', {
  listDisclosures: {
    method: 'GET',
    path: PATH,
    who: OVERSEERS,
    summary: 'List data access by reader, object and day',
    query: PAGE,
    answers: DISCLOSURES,
    async run(call) {
      const { limit } = PAGE.in(call.query)
      const { document, page } = await askedIn(call)
      const found = await page(null, limit + 1)
      return { items: found.slice(0, limit).map(document), has_more: found.length > limit }
    },
  },
  listRecipients: {
    method: 'GET',
    path: `${PATH}/recipients`,
    who: OVERSEERS,
    summary: 'Data access by recipient: totals by purpose and kind of data',
    query: SELECTION,
    answers: RECIPIENTS,
    run: async (call) => ({ items: await (await askedIn(call)).totals() }),
  },
  exportDisclosures: exportedAs('csv'),
  exportDisclosuresWorkbook: exportedAs('xlsx'),
  exportDisclosuresJson: {
    method: 'GET',
    path: `${PATH}.json`,
    who: OVERSEERS,
    summary: 'All disclosures of a selection, as a JSON file',
    query: SELECTION,
    answers: DISCLOSURES,
    async run(call): Promise<StreamedReply<{ items: Record<string, string | number>[] }>> {
      const body = jsonOf(await pagesOf(call))
      return fileReply(`${nameOf(call)}.json`, 'application/json', body)
    },
  },
})

function exportedAs(file: TableFile) {
  return {
    method: 'GET',
    path: `${PATH}.${file}`,
    who: OVERSEERS,
    summary: `All disclosures of a selection, as ${FILE_WORDS[file]}`,
    query: SELECTION,
    answers: TABLE_FILES[file],
    async run(call: ActCall) {
      const pages = await pagesOf(call)
      const columns = Object.keys(DISCLOSURE.fields)
      const dated = { date: 'date' } as const
      return tableReply(file, { name: nameOf(call), columns, dated, timeZone: 'UTC', pages })
    },
  } as const
}

async function askedIn(call: ActCall): Promise<AskedDisclosures> {
  const { store, known } = call
  const fleet = await fleetOf(call)
  const { from, to, recipient, object, ...source } = SELECTION.in(call.query)
  const last = dayOf(to) ?? utcDay(call.now)
  const first = dayOf(from) ?? last - DISCLOSURE_DAYS + 1
  if (first > last) throw invalid({ field: 'from', rule: 'must not be later than to' })
  await known.writeCounts()
  const objects = await fleet.objects()
  const query = {
    ...{ from: first, to: last, recipient: recipient ?? undefined },
    ...{ ...readerIn(source), object: object ?? undefined },
  }
  return askDisclosures(store, fleet.organization.id, query, (id) => objects.get(id)?.object)
}

function readerIn({ source, sourceId, key }: Pick<Selection, 'source' | 'sourceId' | 'key'>) {
  if (key !== null) {
    if (source === null && sourceId === null) return { source: 'key', reader: key } as const
    throw invalid({ field: 'key', rule: 'cannot be combined with source or source_id' })
  }
  return { source: source ?? undefined, reader: sourceId ?? undefined }
}

function dayOf(written: string | null): number | undefined {
  return written === null ? undefined : parseDate(written)! / DAY_MS
}

type Pages = ReturnType<typeof disclosurePages>

/** Reads the first page before anything is sent, so that a failing store gets a clean 503. */
async function pagesOf(call: ActCall): Promise<Pages> {
  const asked = await askedIn(call)
  return disclosurePages(asked, await asked.page(null, MAX_ROWS), MAX_ROWS)
}

function nameOf({ params }: ActCall): string {
  return `disclosures-${params.organization}`
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
