import { shownFrom } from '../../domain/time/retention.ts'
import type { CoverageDay } from '../../reports/coverage/read-coverage.ts'
import { COVERAGE_COLUMNS, coverageRow } from '../encode/coverage-rows.ts'
import { TABLE_FORMATS } from '../encode/formats/formats.ts'
import { type RowForm, rowForm } from '../encode/formats/row-form.ts'
import type { Operation } from '../operation.ts'
import { readCoverageQuery } from '../parameters/coverage-query.ts'
import { ownIds } from '../parameters/object-ids.ts'

/** Later than every position. */
const LAST_TIME = 2 ** 48 - 1

/** `GET /coverage`: what the positions of each object and UTC day are, with digests. Charges nothing. */
export const listCoverage: Operation = {
  id: 'listCoverage',
  isPosition: true,
  isPublic: false,
  openedBy: ['coverage'],
  formats: TABLE_FORMATS,
  async prepare({ api, fleet, format, organization, query }) {
    const asked = readCoverageQuery(query, api.historyLimits)
    if ('status' in asked) return asked
    const all = await fleet.objects()
    const objects = asked.ids === undefined ? [...all.keys()] : ownIds(asked.ids, all)
    if ('status' in objects) return objects
    return {
      due: null,
      shown: [],
      async answer() {
        // Hide all expired positions, purged already or not.
        const visible = { from: shownFrom(organization, api.clock.now()), to: LAST_TIME }
        const ascending = objects.toSorted((a, b) => a - b)
        const days = api.coverage.read(organization.id, { ...asked, objects: ascending, visible })
        // Read something before anything is written, so that a failing store gets a clean 503.
        const first = await days.next()
        const columns = COVERAGE_COLUMNS
        const row = (day: CoverageDay) => coverageRow(day, all.get(day.object)!.object)
        const form = rowForm(format, { columns, row })
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
