import { DEPLOYMENT } from '../../domain/routing.ts'
import type { Change, Topic } from '../store.ts'
import { ANNOUNCE, type Announcements, announced } from './announcements.ts'
import { statement } from './connection/connections.ts'
import type { Connection, Database } from './database.ts'

/** Until the end of the transaction. */
const LOCK = statement('SELECT pg_advisory_xact_lock(7305464)')
const NEWEST = statement(`
  SELECT coalesce(max(sequence), 0) AS newest FROM changes WHERE organization = $1`)

/** The transaction of a change of the deployment. */
export type DeploymentWrite = Connection & { changed(topic: Topic): void }

/** Runs the changes of the deployment one after the other, and reports them as those of the organization `DEPLOYMENT`. */
export function deploymentChanges(database: Database, announcements: Announcements) {
  return async <Result>(work: (write: DeploymentWrite) => Promise<Result>): Promise<Result> => {
    const { result, changes } = await database.transaction(async (connection) => {
      await connection.query(LOCK, [])
      const [{ newest }] = (await connection.query<{ newest: number }>(NEWEST, [DEPLOYMENT])) as [
        { newest: number },
      ]
      const topics = new Set<Topic>()
      const result = await work({ ...connection, changed: (topic) => topics.add(topic) })
      const changes = Array.from(topics, (topic): Change => {
        return { organization: DEPLOYMENT, topic, sequence: newest + 1 }
      })
      if (changes.length > 0) connection.run(ANNOUNCE, announced(DEPLOYMENT, changes))
      return { result, changes }
    })
    await announcements.report(changes)
    return result
  }
}
