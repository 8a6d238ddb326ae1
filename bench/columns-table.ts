import { DatabaseSync } from 'node:sqlite'
import { driveFix } from './drive.ts'
import type { Tenant } from './tenants.ts'

/** The columns that an answer needs, named as in a fix. */
export const FIX_COLUMNS = `
  time_device AS timeDevice, time_server AS timeServer, latitude, longitude, altitude, angle, speed,
  engine_hours AS engineHours, odometer, mileage, address`

/** Stores the same drives in a separate file, with a column for each field and the same key. */
export function writeColumnsTable(file: string, tenants: Tenant[], rows: number): void {
  const database = new DatabaseSync(file)
  database.exec(`
    CREATE TABLE positions (
      organization INTEGER NOT NULL, object INTEGER NOT NULL, time_device INTEGER NOT NULL,
      time_server INTEGER NOT NULL, latitude REAL NOT NULL, longitude REAL NOT NULL, altitude REAL,
      angle REAL, speed REAL, engine_hours REAL, odometer REAL, mileage REAL, address TEXT,
      PRIMARY KEY (organization, object, time_device)
    ) STRICT, WITHOUT ROWID;
    BEGIN`)
  const insert = database.prepare(
    'INSERT INTO positions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  )
  const first = driveFix(0)
  for (const { organization, object } of tenants) {
    for (let i = 0; i < rows; i++) {
      const fix = driveFix(i)
      insert.run(
        organization,
        object,
        fix.timeDevice,
        fix.timeServer,
        fix.latitude,
        fix.longitude,
        fix.altitude,
        fix.angle,
        fix.speed,
        fix.engineHours,
        fix.odometer,
        // The drive is one trip.
        Number((fix.odometer! - first.odometer!).toFixed(2)),
        fix.address,
      )
    }
  }
  database.exec('COMMIT')
  database.close()
}
