import { ITEM_TOPICS, type Items, type ItemTopic } from '../../../domain/items.ts'
import type { Organization } from '../../../domain/organization.ts'
import { runAwaiting } from '../../../tracking/work.ts'
import type { ChangeView } from '../../change-log.ts'
import { itemsOf, ofKinds } from '../../tables/kinds.ts'
import { recordViews } from '../../tables/records.ts'
import { type Dialect, inParts, inSlices, type Tables } from '../../tables/sql.ts'
import type { Connection } from '../connection/database.ts'
import { type ItemRows, itemRows } from '../items.ts'
import { readStates } from '../positions/object-states.ts'
import { shownPositions } from '../positions/shown-positions.ts'
import { overlapping } from '../records.ts'
import { sqlOf } from '../tables.ts'
import { trackRows } from '../track-rows.ts'
import { listChanges } from './change-rows.ts'

/** Things that one statement reads. More of them would keep others waiting while they are unpacked. */
const SLICE = 500

const ROWS: { [Topic in ItemTopic]: ItemRows<Items[Topic]> } = ofKinds(ITEM_TOPICS, itemRows)

/** Views of organizations, each over a transaction that sees one moment. */
export function changeViews(
  dialect: Dialect,
): (
  connection: Connection,
  owner: Organization,
  log: Pick<ChangeView, 'asOf' | 'oldest' | 'epoch'>,
) => ChangeView {
  const records = recordViews(dialect, overlapping)
  return (connection, owner, log) => {
    const { query } = connection
    const organization = owner.id
    const read: Tables['read'] = (work) => runAwaiting(work(sqlOf(connection)))
    return {
      ...log,
      organization: owner,
      changes: (after, limit) =>
        inSlices(limit, SLICE, (size, last) =>
          listChanges(connection, organization, last?.seq ?? after, size),
        ),
      async items(topic, ids) {
        const found = await inParts(ids, SLICE, (part) =>
          query<object>(ROWS[topic].listed, [organization, part]),
        )
        const items = (await itemsOf(ROWS[topic], found)) as Items[typeof topic][]
        return items.sort((a, b) => a.id - b.id)
      },
      itemsAfter: (topic, after, limit) =>
        inSlices(limit, SLICE, async (size, last) => {
          const rows = await query(ROWS[topic].after, [organization, last?.id ?? after, size])
          return (await itemsOf(ROWS[topic], rows)) as Items[typeof topic][]
        }),
      states: async (objects) =>
        new Map(
          await inParts(objects, SLICE, (part) => readStates(connection, organization, part)),
        ),
      ...shownPositions(connection, organization),
      ...records(read, organization, trackRows(connection, organization)),
    }
  }
}
