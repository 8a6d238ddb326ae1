import type { QuotaCount } from '../../base/domain/limits.ts'
import { POOL_SIZES, statement } from './connection/connection-pool.ts'
import { openDatabase } from './connection/database.ts'
import { int8Array } from './connection/given-rows.ts'

const COUNTS = statement(
  'SELECT object, hundredths FROM quota_counts WHERE organization = $1 AND day = $2',
)
const WRITE = statement(`
  INSERT INTO quota_counts (organization, day, object, hundredths)
  SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[])
  ON CONFLICT (organization, day, object) DO UPDATE SET hundredths = excluded.hundredths
  WHERE quota_counts.hundredths < excluded.hundredths
`)

const EXPIRE = statement('DELETE FROM quota_counts WHERE organization = ANY($1) AND day < $2')

/** The lasting copy of the daily quota, as `data/live/realtime.ts` needs it. */
export type PostgresQuotaCounts = {
  read(organization: number, day: number): Promise<Map<number, number>>
  /** When an organization counts on a day, its counts from before the previous day are deleted. */
  write(counts: readonly QuotaCount[]): Promise<void>
  close(): Promise<void>
}

/** Rejects with `StoreUnavailable` if the database cannot answer. */
export function openQuotaCounts(url: string): PostgresQuotaCounts {
  const database = openDatabase(url, POOL_SIZES.quotaCounts)
  /** The newest day on which each organization counted. */
  const newest = new Map<number, number>()

  async function expire(counts: readonly QuotaCount[]): Promise<void> {
    const begun = new Map<number, Set<number>>()
    for (const { organization, day } of counts) {
      if (day <= (newest.get(organization) ?? 0)) continue
      newest.set(organization, day)
      begun.set(day, (begun.get(day) ?? new Set()).add(organization))
    }
    for (const [day, organizations] of begun) {
      await database.run(EXPIRE, [int8Array([...organizations]), day - 1])
    }
  }

  return {
    async read(organization, day) {
      const rows = await database.query<{ object: number; hundredths: number }>(COUNTS, [
        organization,
        day,
      ])
      return new Map(rows.map(({ object, hundredths }) => [object, hundredths]))
    },
    async write(counts) {
      // All writers use the same order, so that no two wait for each other.
      const rows = [...counts].sort((one, other) => {
        return (
          one.organization - other.organization || one.day - other.day || one.object - other.object
        )
      })
      await database.run(WRITE, [
        int8Array(rows.map(({ organization }) => organization)),
        int8Array(rows.map(({ day }) => day)),
        int8Array(rows.map(({ object }) => object)),
        int8Array(rows.map(({ hundredths }) => hundredths)),
      ])
      await expire(counts)
    },
    close: () => database.close(),
  }
}

const STATES = statement('SELECT organization, states FROM sequences WHERE organization = ANY($1)')

export type StatesCounts = {
  /** The number of changes of states for each existing organization. */
  read(organizations: readonly number[]): Promise<Map<number, number>>
  close(): Promise<void>
}

/** Rejects with `StoreUnavailable` if the database cannot answer. */
export function openStatesCounts(url: string): StatesCounts {
  const database = openDatabase(url, POOL_SIZES.statesCounts)
  return {
    async read(organizations) {
      const rows = await database.query<{ organization: number; states: number }>(STATES, [
        int8Array([...organizations]),
      ])
      return new Map(rows.map(({ organization, states }) => [organization, states]))
    },
    close: () => database.close(),
  }
}
