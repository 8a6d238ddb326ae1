import type { DatabaseSync } from 'node:sqlite'
import { RECORD_TYPES } from '../../../domain/change-types.ts'
import { keyOf } from '../../../domain/record.ts'
import { inSlices } from '../../in-slices.ts'
import { AT_FIRST } from '../../record-rows.ts'
import type { OwnedRecord, RecordView } from '../../record-store.ts'
import { placesText, recordReads } from './record-reads.ts'
import { trackRowReads } from './track-rows.ts'

/** Rows read at once: some 1 ms. Then others have their turn. */
const SLICE_ROWS = 1_000

/** The statements of a view, for any organization. */
export function recordViews(connection: DatabaseSync): (organization: number) => RecordView {
  const reads = recordReads(connection)
  const trackRows = trackRowReads(connection)
  return (organization) => ({
    progress: async () => reads.progress(organization),
    rows: (object, after, limit) =>
      inSlices(limit, SLICE_ROWS, (size, last) =>
        trackRows.first(organization, object, last?.time ?? after, size),
      ),
    rowsBefore: async (object, before, limit) =>
      trackRows.last(organization, object, before, limit),
    rowsBehind: async (after) => trackRows.behind(organization, after),
    tails: async (objects) => new Map(reads.tails(organization, objects)),
    openRecords: async (objects) => reads.open(organization, objects),
    recordsIn: async (object, range) =>
      RECORD_TYPES.flatMap((type) =>
        reads.overlapping(organization, object, { ...ALL, type, range }),
      ),
    segments: async (object) => reads.segments(organization, object),
    visitsTo: async (visited, objects) => {
      const places = placesText(visited)
      const wanted = { ...ALL, type: 'visits', places, range: ALWAYS } as const
      return objects.flatMap((object) => reads.overlapping(organization, object, wanted))
    },
    checkpoint: async (object, time) => reads.checkpoint(organization, object, time),
    tasks: async (limit) => reads.tasks(organization, limit),
    records: async (type, ids) => reads.find(organization, type, ids),
    async recordsOf(type, objects, range, after, limit) {
      const found: OwnedRecord[] = []
      for (const object of objects) {
        if (after !== null && object < after.object) continue
        const first = object === after?.object ? after : AT_FIRST
        const records = await inSlices<OwnedRecord>(
          limit - found.length,
          SLICE_ROWS,
          (size, last) => {
            const behind = last === undefined ? first : keyOf(last.record)
            const wanted = { ...ALL, type, range, after: behind, limit: size }
            return reads.overlapping(organization, object, wanted)
          },
        )
        for (const record of records) found.push(record)
      }
      return found
    },
  })
}

const ALWAYS = { from: 0, to: Number.MAX_SAFE_INTEGER }
const ALL = { places: null, minDuration: 0, after: AT_FIRST, limit: 2 ** 31 }
