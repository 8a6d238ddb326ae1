import type { Client } from 'pg'
import type { ReplicaProgress, ReplicaStore, StoredPosition } from '../../replica/replica-store.ts'
import type { Position } from '../../types.ts'
import { netWrites } from '../net-writes.ts'
import type { PullTarget } from '../target.ts'
import { connect, type DatabaseAddress } from './connect.ts'
import { dropBefore, readItems, writeItems } from './item-writes.ts'
import { putPositions, removePositions, shiftPositions } from './position-writes.ts'
import { removeRecords, renameRecords } from './record-writes.ts'
import { CREATE_RECORD_TABLES, CREATE_TABLES } from './tables.ts'

const VERSION = 1
/** The connection of a killed pull stays open until its last statement has ended. */
const LOCK_TIMEOUT = '30s'
const POSITIONS = `
  SELECT object_id, time_device, time_server, latitude, longitude, altitude, angle, speed, address, attributes,
    odometer_mm, mileage_mm, engine_hours_ms, as_of
  FROM positions WHERE object_id = $1 AND time_device BETWEEN $2 AND $3 ORDER BY time_device`

/**
 * Writes to tables in PostgreSQL. Each page and its cursor are written in one transaction. `url`: the API's versioned
 * base address. `records`: whether records are wanted.
 */
export async function postgresTarget(
  address: DatabaseAddress,
  url: string,
  records: boolean,
): Promise<PullTarget> {
  const client = await connect(address)
  try {
    await lock(client, address.lockTimeout ?? LOCK_TIMEOUT)
    await inTransaction(client, async () => {
      for (const text of CREATE_TABLES) await client.query(text)
      await checkSource(client, url)
      if (records && !(await loaded(client)).hasRecords) {
        for (const text of CREATE_RECORD_TABLES) await client.query(text)
      }
    })
  } catch (error) {
    await client.end()
    throw error
  }
  return {
    store: storeOf(client),
    // The commit of a page already writes to the tables.
    settle: async () => ({ written: [], removed: [] }),
    close: () => client.end(),
  }
}

function storeOf(client: Client): ReplicaStore {
  return {
    load: async () => (await loaded(client)).progress,
    commit: (writes, progress) =>
      inTransaction(client, async () => {
        const before = await loaded(client)
        const { isStart, shifts, removals, puts, recordRemovals, items } = netWrites(writes)
        const generation = before.generation + (isStart ? 1 : 0)
        const unit = progress.distanceUnit
        await shiftPositions(client, shifts, unit, generation)
        await removePositions(client, removals)
        await putPositions(client, puts, unit, generation)
        await removeRecords(client, recordRemovals)
        await writeItems(client, items, generation)
        if (before.hasRecords) await renameRecords(client, items)
        const wasComplete = !isStart && before.progress?.isComplete === true
        if (progress.isComplete && !wasComplete) {
          await dropBefore(client, generation, before.hasRecords)
        }
        await client.query('UPDATE fleetgate_pull SET progress = $1, generation = $2', [
          JSON.stringify(progress),
          generation,
        ])
      }),
    item: async (kind, id) => (await readItems(client, kind, [id])).get(id),
    items: async (kind) => (await readItems(client, kind)).values(),
    async *positions(id, from, to) {
      const { rows } = await client.query(POSITIONS, [id, from, to])
      for (const row of rows) yield storedPosition(row)
    },
  }
}

type Row = Record<string, number | string | null> & {
  time_device: Date
  time_server: Date
  attributes: Position['attributes'] | null
}

function storedPosition(row: Row): StoredPosition {
  const whole = (value: unknown) => (value === null ? null : Number(value))
  const { odometer_mm, mileage_mm, engine_hours_ms, as_of, object_id, attributes, ...place } = row
  const position = { ...place, ...(attributes !== null && { attributes }) }
  const exact = {
    odometer_mm: whole(odometer_mm),
    mileage_mm: whole(mileage_mm),
    engine_hours_ms: whole(engine_hours_ms),
  }
  const names = { id: Number(object_id), ident: '', name: '' }
  const times = {
    time_server: row.time_server.toISOString(),
    time_device: row.time_device.toISOString(),
  }
  const shown = { engine_hours: null, odometer: null, mileage: null }
  return {
    position: { ...names, ...position, ...times, ...shown, exact } as StoredPosition['position'],
    asOf: Number(as_of),
  }
}

type Loaded = { progress: ReplicaProgress | undefined; generation: number; hasRecords: boolean }

async function loaded(client: Client): Promise<Loaded> {
  const { rows } = await client.query(
    'SELECT progress, generation, has_records FROM fleetgate_pull',
  )
  const { progress, generation, has_records: hasRecords } = rows[0]
  return { progress: progress ?? undefined, generation, hasRecords }
}

async function lock(client: Client, lockTimeout: string): Promise<void> {
  await client.query(`SET lock_timeout = '${lockTimeout}'`)
  try {
    await client.query(
      "SELECT pg_advisory_lock(hashtextextended('fleetgate pull ' || current_schema(), 0))",
    )
  } catch (error) {
    if ((error as { code?: string }).code !== '55P03') throw error
    throw new Error(
      'another pull is writing to this schema: wait until it ends, or use another ?schema=',
    )
  }
}

async function checkSource(client: Client, url: string): Promise<void> {
  await client.query(
    'INSERT INTO fleetgate_pull (version, url, generation) VALUES ($1, $2, 0) ON CONFLICT DO NOTHING',
    [VERSION, url],
  )
  const { rows } = await client.query('SELECT version, url FROM fleetgate_pull')
  const [found] = rows
  if (found.version !== VERSION) {
    throw new Error('the tables are from a newer version of pull: update pull')
  }
  if (found.url !== url) {
    throw new Error(
      `the tables contain data of ${found.url}: use another ?schema=. If the server has moved to a new URL, pull copies everything again into the new tables`,
    )
  }
}

async function inTransaction(client: Client, work: () => Promise<void>): Promise<void> {
  await client.query('BEGIN')
  try {
    await work()
    await client.query('COMMIT')
  } catch (error) {
    // Throw the first error: a rollback on a broken connection fails too, and says less.
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}
