/**
 * Applies changes to a database without a replica. A page and its cursor are kept in one transaction, so a run that is
 * killed at any moment loses nothing, and counts nothing twice. The first run reads everything.
 */
import { DatabaseSync } from 'node:sqlite'
import { Fleetgate } from '@fleetgate/client'

const fleet = new Fleetgate({
  baseUrl: 'https://fleet.example.com',
  apiKey: process.env.FLEETGATE_API_KEY!,
})

const store = new DatabaseSync('fleet.db')
store.exec(`
  CREATE TABLE IF NOT EXISTS positions (
    id INTEGER, time_device TEXT, latitude REAL, longitude REAL, speed REAL,
    odometer_mm INTEGER, as_of INTEGER, PRIMARY KEY (id, time_device)
  );
  CREATE TABLE IF NOT EXISTS synced (id INTEGER PRIMARY KEY, cursor TEXT);
`)
const put = store.prepare('INSERT OR REPLACE INTO positions VALUES (?, ?, ?, ?, ?, ?, ?)')
const RANGE = "id = ? AND time_device BETWEEN coalesce(?, '') AND coalesce(?, '9')"
const drop = store.prepare(`DELETE FROM positions WHERE ${RANGE}`)
const shift = store.prepare(
  `UPDATE positions SET odometer_mm = odometer_mm + ? WHERE ${RANGE} AND as_of < ?`,
)
const note = store.prepare('INSERT OR REPLACE INTO synced VALUES (1, ?)')
const synced = store.prepare('SELECT cursor FROM synced').get()

for await (const page of fleet.changes({
  cursor: synced && String(synced.cursor),
  from: 'history',
  types: ['positions', 'objects'],
  include: ['exact'],
  pageSize: 10_000,
  live: false,
})) {
  store.exec('BEGIN')
  if (page.after === null) store.exec('DELETE FROM positions')
  for (const change of page.changes) {
    if (change.type === 'position' && change.op === 'put') {
      const { id, time_device, latitude, longitude, speed, exact } = change.position
      const odometer = exact?.odometer_mm ?? null
      put.run(id, time_device, latitude, longitude, speed, odometer, page.as_of)
    } else if (change.type === 'position') {
      drop.run(change.id, change.time_device, change.time_device)
    } else if (change.type === 'positions') {
      drop.run(change.id, change.from_time, change.to_time)
    } else if (change.type === 'counters') {
      shift.run(change.odometer_mm, change.id, change.from_time, change.to_time, change.seq)
    } else if (change.type === 'object' && change.op === 'delete') {
      drop.run(change.id, null, null)
    }
  }
  note.run(page.cursor)
  store.exec('COMMIT')
}
