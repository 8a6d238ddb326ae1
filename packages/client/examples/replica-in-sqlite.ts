/** A replica that keeps the fleet in SQLite: each kind of write is one statement of SQL. */
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'
import { Fleetgate, type ReplicaStore, type ReplicaWrite } from '@fleetgate/client'

const database = new DatabaseSync('replica.db')
database.exec(`
  CREATE TABLE IF NOT EXISTS progress (id INTEGER PRIMARY KEY, text TEXT);
  CREATE TABLE IF NOT EXISTS items (
    kind TEXT, id INTEGER, as_of INTEGER, item TEXT, PRIMARY KEY (kind, id)
  );
  CREATE TABLE IF NOT EXISTS positions (
    id INTEGER, time TEXT, as_of INTEGER, position TEXT,
    odometer_mm INTEGER, mileage_mm INTEGER, engine_hours_ms INTEGER,
    PRIMARY KEY (id, time)
  );
`)
const sql = (text: string) => database.prepare(text)
const loadProgress = sql('SELECT text FROM progress')
const keepProgress = sql('INSERT OR REPLACE INTO progress VALUES (1, ?)')
const putItem = sql('INSERT OR REPLACE INTO items VALUES (?, ?, ?, ?)')
const deleteItem = sql('DELETE FROM items WHERE kind = ? AND id = ?')
const deleteRecords = sql(`
  DELETE FROM items WHERE kind IN ('trip', 'stop', 'visit', 'level')
    AND (?1 IS NULL OR item ->> 'object_id' = ?1) AND (?2 IS NULL OR item ->> 'end_time' < ?2)
`)
const itemOf = sql('SELECT as_of, item FROM items WHERE kind = ? AND id = ?')
const itemsOf = sql('SELECT as_of, item FROM items WHERE kind = ?')
const putPosition = sql('INSERT OR REPLACE INTO positions VALUES (?, ?, ?, ?, ?, ?, ?)')
const RANGE = "time BETWEEN coalesce(?, '') AND coalesce(?, '9')"
const deletePositions = sql(`DELETE FROM positions WHERE id = coalesce(?, id) AND ${RANGE}`)
const shiftPositions = sql(`
  UPDATE positions SET odometer_mm = odometer_mm + ?, mileage_mm = mileage_mm + ?,
    engine_hours_ms = engine_hours_ms + ?
  WHERE id = ? AND ${RANGE} AND as_of < ?
`)
const positionsOf = sql(`SELECT * FROM positions WHERE id = ? AND ${RANGE} ORDER BY time`)

function make(write: ReplicaWrite): void {
  switch (write.write) {
    case 'clear':
      database.exec('DELETE FROM items; DELETE FROM positions')
      return
    case 'put':
      putItem.run(write.kind, write.id, write.asOf, JSON.stringify(write.item))
      return
    case 'delete':
      deleteItem.run(write.kind, write.id)
      return
    case 'delete-records':
      deleteRecords.run(write.id, write.endedBefore)
      return
    case 'put-position': {
      const { exact, ...position } = write.position
      const { odometer_mm = null, mileage_mm = null, engine_hours_ms = null } = exact ?? {}
      const counters = [odometer_mm, mileage_mm, engine_hours_ms]
      putPosition.run(write.id, write.time, write.asOf, JSON.stringify(position), ...counters)
      return
    }
    case 'delete-positions':
      deletePositions.run(write.id, write.from, write.to)
      return
    case 'shift-positions': {
      const { odometer_mm, mileage_mm, engine_hours_ms, id, from, to, seq } = write
      shiftPositions.run(odometer_mm, mileage_mm, engine_hours_ms, id, from, to, seq)
    }
  }
}

type Row = Record<string, SQLOutputValue>

const stored = (row: Row) => ({ item: JSON.parse(String(row.item)), asOf: Number(row.as_of) })
const store: ReplicaStore = {
  load() {
    const row = loadProgress.get()
    return row && JSON.parse(String(row.text))
  },
  commit(writes, progress) {
    database.exec('BEGIN')
    try {
      for (const write of writes) make(write)
      keepProgress.run(JSON.stringify(progress))
      database.exec('COMMIT')
    } catch (error) {
      database.exec('ROLLBACK')
      throw error
    }
  },
  item(kind, id) {
    const row = itemOf.get(kind, id)
    return row && stored(row)
  },
  items: (kind) => itemsOf.all(kind).map(stored),
  positions: (id, from, to) =>
    positionsOf.all(id, from, to).map((row) => {
      const { odometer_mm, mileage_mm, engine_hours_ms } = row
      const exact = { odometer_mm, mileage_mm, engine_hours_ms }
      const position = { ...JSON.parse(String(row.position)), exact }
      return { position, asOf: Number(row.as_of) }
    }),
}

const fleet = new Fleetgate({
  baseUrl: 'https://fleet.example.com',
  apiKey: process.env.FLEETGATE_API_KEY!,
})
const replica = fleet.replica({ store, positions: true, pageSize: 10_000 })
await replica.sync()
console.log(JSON.stringify(await replica.positions.latest()))
