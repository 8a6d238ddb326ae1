import { shownFromIn } from '../../../base/domain/organization.ts'
import { LAST_TIME } from '../../../base/domain/time/time.ts'
import type { CoverageDay } from '../../../engine/journeys/days/read-coverage.ts'
import { COVERAGE_FIELDS } from '../../../read/encode/report-fields.ts'
import { rowOf, tableOf } from '../../../read/encode/row-fields.ts'
import { type RowForm, rowForm } from '../../../read/encode/rows.ts'
import { TABLE_FORMATS } from '../../../read/formats/formats.ts'
import { datesOf } from '../../../read/parameters/days-query.ts'
import { ONLY_IDS, selectIds } from '../../../read/parameters/object-parameters.ts'
import { parameterSet } from '../../../read/parameters/parameter.ts'
import { rangeAboveMaximum, repeatedParameter } from '../../../read/refusal.ts'
import { refuseLong } from '../../../read/rows/sheet-rows.ts'
import { friday } from '../../../read/schemas/examples.ts'
import type { Operation } from '../operation.ts'

/** A year. The answer has a row for each object and day. */
const MAX_DAYS = 366
const DATES = datesOf(MAX_DAYS)
const PARAMETERS = parameterSet({ dates: DATES, ids: ONLY_IDS })

const coverageRow = rowOf(COVERAGE_FIELDS)

/** `GET /coverage`: what the positions of each object and UTC day are, with digests. Charges nothing. */
export const listCoverage: Operation = {
  id: 'listCoverage',
  path: '/coverage',
  tag: 'Positions',
  summary: 'List coverage',
  description:
    'Statistics of the positions of each object and UTC day, by object id, then by date: their number, first and last time, gaps, late positions, rejected packets, and two digests. Compare the digests with those of your copy to prove that it is complete. A day without positions and rejected packets has no row. A range has at most 366 days. The first request for a day reads its positions. The server then keeps the figures until the day changes. Costs no quota.',
  parameters: PARAMETERS,
  success: 'The days of the range.',
  result: { rows: 'Coverage', example: [friday] },
  badRequests: [
    ...DATES.refusals,
    ...ONLY_IDS.refusals,
    repeatedParameter('from_date'),
    rangeAboveMaximum(MAX_DAYS, 'date'),
  ],
  errors: { 404: 'ObjectNotFound' },
  isPosition: true,
  isPublic: false,
  openedBy: ['coverage'],
  formats: TABLE_FORMATS,
  async prepare(call) {
    const asked = PARAMETERS.of(call)
    if ('status' in asked) return asked
    const { api, fleet, format, organization } = call
    const all = await fleet.objects()
    const objects = selectIds(asked.ids, all)
    if ('status' in objects) return objects
    return {
      due: null,
      shown: [],
      async answer() {
        // Hide all expired positions, purged already or not.
        const from = shownFromIn(organization, all, api.clock.now())
        const visible = (object: number) => ({ from: from(object), to: LAST_TIME })
        const ascending = objects.toSorted((a, b) => a - b)
        const query = { ...asked.dates, objects: ascending, visible }
        const read = () => api.coverage.read(organization.id, query)
        const refusal = await refuseLong(format, read)
        if (refusal !== undefined) return refusal
        const days = read()
        // Read something before anything is written, so that a failing store gets a clean 503.
        const first = await days.next()
        const row = (day: CoverageDay) =>
          coverageRow({ day, object: all.get(day.object)!.object }, organization.distanceUnit)
        const form = rowForm(format, { ...tableOf(COVERAGE_FIELDS), row })
        return { body: bodyOf(first.done ? [] : first.value, days, form) }
      },
    }
  },
}

/** Days that were not kept are computed while the client reads. */
async function* bodyOf(
  first: readonly CoverageDay[],
  days: AsyncGenerator<CoverageDay[]>,
  { head, between, tail, row }: RowForm<CoverageDay>,
): AsyncGenerator<Buffer> {
  try {
    yield Buffer.from(head + first.map(row).join(between))
    let isFirst = first.length === 0
    for await (const more of days) {
      yield Buffer.from((isFirst ? '' : between) + more.map(row).join(between))
      isFirst = false
    }
    yield Buffer.from(tail)
  } finally {
    await days.return(undefined)
  }
}
