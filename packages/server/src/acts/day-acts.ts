import { openTurns } from '../base/domain/common/slots.ts'
import { readDays } from '../engine/journeys/days/read-days.ts'
import type { Row } from '../read/encode/rows.ts'
import { parseQuery } from '../read/exchange/request.ts'
import { chosenEntries } from '../read/parameters/attribute-parameters.ts'
import { DAYS } from '../read/parameters/days-query.ts'
import { IDS_OR_ALL, selectIds } from '../read/parameters/object-parameters.ts'
import { UNLIMITED } from '../read/parameters/parameter.ts'
import { DATE } from '../read/parameters/time-range.ts'
import type { Refusal } from '../read/refusal.ts'
import { objectsFrom } from '../read/rows/charge-objects.ts'
import { dayKind, daysRange, textEntry } from '../read/rows/day-rows.ts'
import { recordProgress } from '../read/rows/record-selection.ts'
import { type ActCall, acts, fleetOf, VIEWERS } from './act.ts'
import { addDays, type DayTable, GROUPS, type Group } from './day-tables.ts'
import * as doc from './document-schema.ts'
import { FILE_PAGE, misuse, notDerived, type Refuse, refusedQuery } from './record-acts.ts'
import { invalid } from './refused.ts'
import { FILE_WORDS, TABLE_FILES, type TableFile, tableReply } from './spreadsheet.ts'

/** The days of a month: computing them takes as long as their positions are many. */
const MAX_DAYS = 31

const PATH = '/organizations/{organization}'

type ZonedTable = DayTable & { timeZone: string }

const SELECTION = {
  from_date: { schema: DATE, isRequired: true, description: 'The first day, included.' },
  to_date: {
    schema: DATE,
    isRequired: true,
    description: 'The last day, included. A range has at most 31 days.',
  },
  tz: {
    schema: { type: 'string' },
    description: 'The time zone of the days. Default: the organization’s.',
  },
  ids: {
    schema: IDS_OR_ALL,
    isJoined: true,
    description:
      'Only these objects, at most 1,000 ids separated by commas, or `all`, the default.',
  },
  by: {
    schema: { type: 'string' },
    description:
      'An attribute of type `text`, such as `driver`: a day then has a row for each text.',
  },
  attributes: {
    schema: { type: 'array', items: { type: 'string' } },
    isJoined: true,
    description: 'The attributes of each row, such as a level with what was used and filled.',
  },
}
const GROUP = {
  group: {
    schema: { type: 'string', enum: GROUPS, default: 'object' },
    description:
      'Days are added for each `object`, each `date`, or each text of the attribute that `by` names (`by`).',
  },
}

const TOTALS = doc.record(
  {
    columns: doc.list(doc.text('A name.'), 'The fields of the items, in their order.'),
    items: doc.list(
      doc.plain<Record<string, string | number | null>>({ type: 'object' }),
      'By the group. They have the fields of days that can be added, and `days`.',
    ),
    time_zone: doc.text('The time zone of the days.'),
  },
  'The totals of a range of days.',
  'DayTotals',
)

export const DAY_ACTS = acts('Records', {
  dayTotals: {
    method: 'GET',
    path: `${PATH}/day-totals`,
    who: VIEWERS,
    summary: 'Add up local days, by object, day or driver',
    query: { described: { ...SELECTION, ...GROUP } },
    answers: TOTALS,
    async run(call) {
      const { columns, pages, timeZone } = await totalsOf(call, refusedQuery)
      return { columns, items: (await Array.fromAsync(pages)).flat(), time_zone: timeZone }
    },
  },
  exportDayTotals: totalsFile('csv'),
  exportDayTotalsWorkbook: totalsFile('xlsx'),
  exportDays: daysFile('csv'),
  exportDaysWorkbook: daysFile('xlsx'),
})

/** The same for the command line: each day, or totals. */
export const DAY_REPORT = acts('Records', {
  report: {
    method: 'GET',
    path: `${PATH}/days`,
    who: VIEWERS,
    summary: 'List the totals of local days, by object, day or driver',
    async run(call) {
      const { columns, pages } = await (call.query.has('group') ? totalsOf : daysOf)(call, misuse)
      return { columns, rows: (await Array.fromAsync(pages)).flat() }
    },
  },
}).report

function daysFile(file: TableFile) {
  return {
    method: 'GET',
    path: `${PATH}/days.${file}`,
    who: VIEWERS,
    summary: `All days of a range as ${FILE_WORDS[file]}`,
    query: { described: SELECTION },
    answers: TABLE_FILES[file],
    async run(call: ActCall) {
      return tableReply(file, { name: 'days', ...(await daysOf(call, refusedQuery)) })
    },
  } as const
}

function totalsFile(file: TableFile) {
  return {
    method: 'GET',
    path: `${PATH}/day-totals.${file}`,
    who: VIEWERS,
    summary: `The totals of a range of days as ${FILE_WORDS[file]}`,
    query: { described: { ...SELECTION, ...GROUP } },
    answers: TABLE_FILES[file],
    async run(call: ActCall) {
      return tableReply(file, { name: 'day-totals', ...(await totalsOf(call, refusedQuery)) })
    },
  } as const
}

/** Reads all days of the range before it returns, so organizations take turns. */
const inTurn = openTurns(2, 1)

function totalsOf(call: ActCall, refuse: Refuse): Promise<ZonedTable> {
  const group = groupOf(call)
  return inTurn(call.params.organization!, async () => {
    const days = await daysOf(call, refuse)
    return { ...days, ...(await addDays(days, group)) }
  })
}

function groupOf({ query }: ActCall): Group {
  const group = GROUPS.find((each) => each === (query.get('group') ?? 'object'))
  if (group === undefined)
    throw invalid({ field: 'group', rule: `must be one of ${GROUPS.join(', ')}` })
  if (group === 'by' && !query.has('by'))
    throw invalid({ field: 'by', rule: 'is required by group' })
  return group
}

/** The asked days. It reads the first page at once, so that a failing store gets a clean 503. */
async function daysOf(call: ActCall, refuse: Refuse): Promise<ZonedTable> {
  const accepted = <Value extends object>(given: Value | Refusal): Value => {
    if ('status' in given) throw refuse(given as Refusal)
    return given
  }
  const { store, now } = call
  const fleet = await fleetOf(call)
  const { id, timeZone, distanceUnit } = fleet.organization
  const query = new URLSearchParams(call.query)
  query.delete('group')
  const limits = { ...UNLIMITED, maxHistoryDays: MAX_DAYS, timeZone }
  const asked = accepted(DAYS.read(parseQuery(query.toString()), limits))
  const known = await store.attributes.list(id)
  const named = { fleet: { attributes: async () => known } }
  const entries =
    asked.attributes === null ? null : accepted(await chosenEntries(named, asked.attributes))
  const text = textEntry(known, asked.by)
  const by = text === null ? null : accepted(text)
  // A level is read from its last change, so that its changes have to be derived.
  const hasLevels = entries?.some(({ isLevel }) => isLevel)
  if (hasLevels && !(await recordProgress(store.records, id))?.at) throw notDerived('days')
  const objects = await fleet.objects()
  const ids = accepted(selectIds(asked.ids, objects)) as readonly number[]
  const range = { ...daysRange(fleet.organization, objects, asked, now), attributes: entries, by }
  const { columns, dated, row } = dayKind(objects, distanceUnit, { entries, by })
  const read = async (after: Parameters<typeof readDays>[1]['after']) => {
    const part = { objects: objectsFrom(after, ids), after, limit: FILE_PAGE }
    const page = await store.changeLog.view(id, (view) => readDays(view, { ...range, ...part }))
    return page ?? { days: [], next: null }
  }
  const first = await read(null)
  async function* pages(): AsyncGenerator<Row[]> {
    for (let page = first; ; page = await read(page.next)) {
      for (const { object } of page.days) call.disclosed.rows(object, 'records', 1)
      yield page.days.map(row)
      if (page.next === null) return
    }
  }
  return { columns, dated, pages: pages(), timeZone: asked.timeZone }
}
