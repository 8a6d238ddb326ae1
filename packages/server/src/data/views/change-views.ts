import { ITEM_TOPICS, type Items, type ItemTopic } from '../../base/domain/item-rules.ts'
import { unpackEntries } from '../../engine/store/change-entries.ts'
import type { ChangeView, LoggedChange } from '../../engine/store/change-log.ts'
import type { Work } from '../../engine/tracking/work.ts'
import { statesReader } from '../fold/object-states.ts'
import { rangeReader } from '../history/range.ts'
import type { PositionForm, TablesOf } from '../positions/position-tables.ts'
import { shownPositions } from '../positions/shown-positions.ts'
import { trackRows } from '../positions/track-rows.ts'
import { ofKinds } from '../tables/item-columns.ts'
import { itemRows } from '../tables/item-reader.ts'
import { FIND_ORGANIZATION, plainOrganization } from '../tables/organization-tables.ts'
import type { Overlapping } from '../tables/record-reads.ts'
import { recordViews } from '../tables/record-tables.ts'
import { type Dialect, inSlices, type Sql, type Tables } from '../tables/sql.ts'

/** Changes in one value of each kind: numbers with commas, and the packed entries one after the other. Null: there are none. */
type ChangeRows = { entries: Uint8Array | null; seqs: string; times: string; sizes: string }

function loggedChanges({ entries, seqs, times, sizes }: ChangeRows): LoggedChange[] {
  if (entries === null) return []
  const [at, lengths] = [times.split(','), sizes.split(',')]
  let end = 0
  return seqs.split(',').map((seq, index) => {
    const begin = end
    end += Number(lengths[index])
    const time = Number(at[index])
    return {
      seq: Number(seq),
      at: time,
      entries: unpackEntries(entries.subarray(begin, end), time),
    }
  })
}

/** The members of a view that a read says before there is one. */
type Head = Pick<ChangeView, 'asOf' | 'oldest' | 'organization'>

type Reads = { [Topic in ItemTopic]: ItemReads<Items[Topic]> }

type ItemReads<Item> = {
  listed(read: Tables['read'], organization: number, ids: readonly number[]): Promise<Item[]>
  after(
    ...from: [read: Tables['read'], organization: number, after: number, limit: number]
  ): Promise<Item[]>
}

/** Views of organizations, each through a `read` that sees one moment. */
export type ChangeViews = {
  /** Null if the organization does not exist. The call sends the questions. */
  head(sql: Sql, organization: number): Work<Head | null>
  view(read: Tables['read'], head: Head, epoch: string): ChangeView
}

export function changeViews(
  dialect: Dialect,
  form: PositionForm,
  tablesOf: TablesOf,
  overlapping: Overlapping,
): ChangeViews {
  const { owners, readAtOnce } = dialect
  const { atMost, bytes, numbers } = form
  const changes = `
    SELECT ${bytes('entries')} AS entries, ${numbers('seq')} AS seqs, ${numbers('at')} AS times,
      ${numbers('length(entries)')} AS sizes
    FROM (
      SELECT seq, at, entries FROM change_log WHERE organization = $1 AND seq > $2
      ORDER BY seq LIMIT ${atMost('$3')}
    ) AS chosen`
  const retentions = `
    SELECT id AS object, retention_days AS days FROM objects
    WHERE organization = $1 AND id > $2 AND retention_days IS NOT NULL
    ORDER BY id LIMIT ${atMost('$3')}`
  const end = (which: string) => `
    coalesce((SELECT ${which}(seq) FROM change_log WHERE organization = $1), 0)`
  const ends = `
    SELECT ${end('max')} AS "asOf", ${end('min')} AS oldest
    FROM ${owners.table} WHERE ${owners.id} = $1`
  const items = ofKinds<ItemTopic, Reads>(ITEM_TOPICS, (kind) => itemRows(dialect, kind))
  const ranges = rangeReader(form)
  const shown = shownPositions(dialect, form, tablesOf)
  const records = recordViews(dialect, overlapping)
  const tracks = trackRows(dialect, form)

  return {
    head({ all }, organization) {
      const found = all<Pick<Head, 'asOf' | 'oldest'>>(ends, [organization])
      const owner = all<object>(FIND_ORGANIZATION, [organization])
      return (function* () {
        const [log] = yield* found
        const plain = plainOrganization((yield* owner)[0])
        if (log === undefined || plain === null) return null
        return { asOf: log.asOf, oldest: log.oldest, organization: plain }
      })()
    },
    view(read, head, epoch) {
      const organization = head.organization.id
      const states = statesReader({ dialect, read })
      return {
        ...head,
        epoch,
        changes: (after, limit) =>
          inSlices<LoggedChange>(limit, readAtOnce, async (size, last) => {
            const values = [organization, last?.seq ?? after, size]
            return loggedChanges((await read(({ one }) => one<ChangeRows>(changes, values)))!)
          }),
        items: (topic, ids) => items[topic].listed(read, organization, ids),
        itemsAfter: (topic, ...from) => items[topic].after(read, organization, ...from),
        async retentions(...from) {
          type Own = { object: number; days: number }
          const rows = await read(({ all }) => all<Own>(retentions, [organization, ...from]))
          return rows.map((row) => ({ ...row }))
        },
        states: (objects) => states(organization, objects),
        ...ranges(read, organization),
        ...shown(read, organization),
        ...records(read, organization, tracks(read, organization)),
      }
    },
  }
}
