import { ITEM_TOPICS } from '../../base/domain/item-rules.ts'
import type { Organization } from '../../base/domain/organization.ts'
import type { Note } from '../../engine/store/audit-store.ts'
import { type OrganizationStore, TOPICS, type Topic } from '../../engine/store/store.ts'
import {
  INSERT_ORGANIZATION,
  organizationSettings,
  settingValues,
  versionsOf,
} from '../tables/organization-tables.ts'
import { CHANGE_LOG, type Purges } from '../tables/purge.ts'
import type { Tables } from '../tables/sql.ts'
import { ANNOUNCE, type Announcements, announced } from './announcements.ts'
import { statement } from './connection/connection-pool.ts'
import { type Database, openDatabase, WITHOUT_LIMIT } from './connection/database.ts'
import type { OrganizationWrite, OrganizationWrites } from './organization-writes.ts'
import { noted } from './tables.ts'

const INSERT = statement(INSERT_ORGANIZATION)
const BEGIN_SEQUENCES = statement(`
  INSERT INTO sequences (organization, newest) VALUES ($1, $2)
`)
const PURGE_LATER = statement(`
  INSERT INTO purges (organization, object)
  SELECT organization, id FROM objects WHERE organization = $1 UNION ALL SELECT $1, ${CHANGE_LOG}
`)
const FREE_IDS = statement(`DELETE FROM ids WHERE organization = $1 AND kind <> 'objects'`)
/** Foreign keys delete the keys of the organization and the rows of its objects. */
const REMOVALS = [
  ...ITEM_TOPICS.map((table) => `DELETE FROM ${table} WHERE organization = $1`),
  'DELETE FROM quota_counts WHERE organization = $1',
  'DELETE FROM refolds WHERE organization = $1',
  'DELETE FROM webhook_deliveries WHERE organization = $1',
  'DELETE FROM organizations WHERE id = $1',
  // After the organization, because a token can be issued for it until then.
  'DELETE FROM access_credentials WHERE organization = $1',
  'DELETE FROM account_roles WHERE organization = $1',
].map(statement)
const VERSIONS = statement(`
  SELECT topic, sequence FROM changes WHERE organization = $1 AND topic <> 'states'
`)
const STATES_VERSION = statement(`
  SELECT 'states' AS topic, states AS sequence FROM sequences WHERE organization = $1
`)

const FIRST_SEQUENCE = 1

export function organizationStore(
  database: Database,
  tables: Tables,
  writesOf: (database: Database) => OrganizationWrites,
  announcements: Announcements,
  purge: Purges['purge'],
): OrganizationStore {
  async function removeAll(write: OrganizationWrite, note?: Note<true>): Promise<true> {
    const values = [write.organization]
    write.run(PURGE_LATER, values)
    write.run(FREE_IDS, values)
    for (const removal of REMOVALS) write.run(removal, values)
    write.changed(...TOPICS)
    return noted(write, true, note)
  }

  return {
    ...organizationSettings(tables),
    async create(settings, now, note) {
      const { created, change } = await database.transaction(async (connection) => {
        const [created] = await connection.query<Organization>(INSERT, [
          now,
          ...settingValues(settings),
        ])
        const { id } = created!
        const change = {
          organization: id,
          topic: 'organization',
          sequence: FIRST_SEQUENCE,
        } as const
        connection.run(BEGIN_SEQUENCES, [id, FIRST_SEQUENCE])
        connection.run(ANNOUNCE, announced(id, [change]))
        return { created: await noted(connection, created!, note), change }
      })
      await announcements.report([change])
      return created
    },
    async delete(organization, note) {
      // The rows of a large organization take longer than a statement may.
      const patient = openDatabase(database.url, 1, WITHOUT_LIMIT)
      const deleted = await writesOf(patient)
        .write(organization, (write) => removeAll(write, note))
        .finally(() => patient.close())
      if (deleted === null) return false
      await purge(organization)
      return true
    },
    async versions(organization) {
      const rows = await Promise.all(
        [VERSIONS, STATES_VERSION].map((each) =>
          database.query<{ topic: Topic; sequence: number }>(each, [organization]),
        ),
      )
      return versionsOf(rows.flat())
    },
  }
}
