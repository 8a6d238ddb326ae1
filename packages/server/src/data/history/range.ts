import { takeTurn } from '../../base/domain/common/slots.ts'
import {
  columnsOfRecords,
  type PositionColumns,
} from '../../base/domain/position/position-columns.ts'
import type { ChangeView } from '../../engine/store/change-log.ts'
import { BLOCK_ROWS } from '../positions/packing.ts'
import type { PositionForm } from '../positions/position-tables.ts'
import type { Tables } from '../tables/sql.ts'
import { segmentReader } from './segment-reader.ts'
import { chunkOf, NOW } from './segments.ts'

/** More than a block has, so that none is decoded twice for a page. */
const ROWS_AT_ONCE = 2 * BLOCK_ROWS

/** The positions of a chunk that answers show now. `read` sees one moment. */
export function rangeReader(
  form: PositionForm,
): (read: Tables['read'], organization: number) => Pick<ChangeView, 'range'> {
  const nextSegment = segmentReader(form)
  return (read, organization) => ({
    async range(object, after, to, limit) {
      const parts: PositionColumns[] = []
      for (let [last, left] = [after, limit]; ; await takeTurn()) {
        const range = { organization, object, after: last, to }
        const rows = Math.min(left, ROWS_AT_ONCE)
        const ask = { range, reachMs: Infinity, asOf: NOW, rows, isCount: false }
        const chunk = chunkOf(ask, await read((sql) => nextSegment(sql, ask)))
        for (const part of chunk.rows) {
          parts.push(part instanceof Uint8Array ? columnsOfRecords(part) : part)
        }
        left -= chunk.shown
        if (chunk.isEnd || left === 0 || chunk.last >= to) return parts
        last = chunk.last
      }
    },
  })
}
