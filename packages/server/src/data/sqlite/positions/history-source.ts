import type { DatabaseSync } from 'node:sqlite'
import { runAtOnce } from '../../../engine/tracking/work.ts'
import type { HistorySource, Sources } from '../../history/history.ts'
import { segmentReader } from '../../history/segment-reader.ts'
import { NOW, type Segments } from '../../history/segments.ts'
import { BLOCK_ROWS } from '../../positions/packing.ts'
import { newestSequence } from '../changes.ts'
import type { Database } from '../database/database.ts'
import { sqlOf } from '../tables.ts'
import { damaged } from '../unavailable.ts'
import { FORM } from './position-form.ts'

const UNSEEN = `
  SELECT 1 FROM positions
  WHERE organization = ? AND object = ? AND time_device > ? AND time_device <= ? AND change <= ?
  ORDER BY time_device DESC LIMIT 1`
const KNOWN = 'SELECT 1 FROM objects WHERE organization = ? AND id = ?'

/** No transaction stays open between reads, so that a slow reader never holds up a checkpoint. */
export function historySources({ reader, read }: Database): Sources {
  const sql = sqlOf(reader)
  const nextSegment = segmentReader(FORM)
  const newest = newestSequence(reader)
  const [known, unseen] = [reader.prepare(KNOWN), reader.prepare(UNSEEN)]
  const inOneMoment = seeingOneMoment(reader)

  const source: HistorySource = {
    // As many as a block usually has: 0.2 ms, about 30 kB.
    rows: BLOCK_ROWS,
    countedRows: 10_000,
    reachMs: Number.POSITIVE_INFINITY,
    readsAhead: false,
    read: (ask) =>
      read(() =>
        inOneMoment((): Segments => {
          const { organization, object } = ask.range
          return {
            known: known.get(organization, object) !== undefined,
            // Later reads show the rows as of the change that the first one saw.
            newest: ask.asOf === NOW ? newest() : ask.asOf,
            ...runAtOnce(nextSegment(sql, ask)),
          }
        }),
      ),
    doubts: {
      damaged,
      // Searched from the other side. If a disk put one page in place of another, SQLite takes it for the end of the search.
      endsTooSoon: ({ organization, object, after, to }, asOf) =>
        read(() => unseen.get(organization, object, after, to, asOf) !== undefined),
    },
  }
  return () => [source]
}

/** Runs reads in a transaction, so that no other connection writes between them. */
function seeingOneMoment(reader: DatabaseSync): <T>(work: () => T) => T {
  const begin = reader.prepare('BEGIN')
  const end = reader.prepare('COMMIT')
  return (work) => {
    begin.run()
    try {
      return work()
    } finally {
      // An error of the disk has ended it already.
      if (reader.isTransaction) end.run()
    }
  }
}
