import assert from 'node:assert/strict'
import { it } from 'node:test'
import { MAX_MAPPINGS, type SavedMapping } from '../../../base/domain/import-formats.ts'
import { noRemarks } from '../row.ts'
import { NOTHING_GIVEN } from './notation.ts'
import { openTable } from './open-table.ts'

const SETTINGS = { speedUnit: null, distanceUnit: null, timezone: null }

function saved(id: number, headings: string[], delimiter: string | null): SavedMapping {
  const settings = { columns: {}, ...NOTHING_GIVEN, ...SETTINGS, delimiter }
  return { id, kind: 'sites', headings, name: `file ${id}`, settings, savedAt: id }
}

it('a table is read once for all saved mappings of the same notation', async () => {
  const others = Array.from({ length: MAX_MAPPINGS }, (_, id) =>
    saved(id, ['name', `radius ${id}`], id % 2 === 0 ? null : 'tab'),
  )
  const own = saved(1_000, ['name', 'radius'], null)
  const bytes = Buffer.from('name,radius\nDepot,50\n')
  let reads = 0
  const head = {
    isWhole: true,
    decodedFrom: 'utf-8',
    get bytes() {
      reads += 1
      return bytes
    },
  }
  const layout = {
    fields: [{ name: 'name', synonyms: [] }],
    ...{ mapping: new Map(), given: NOTHING_GIVEN, saved: [...others, own], required: [] },
    refuseOtherKind: () => undefined,
  }
  const remarks = noRemarks()
  await openTable(head, 'sites.csv', layout, remarks)
  assert.equal(remarks.table?.saved, own)
  assert.equal(reads, 2, 'as many as there are notations')
})
