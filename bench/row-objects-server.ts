/**
 * A history as most servers write it: rows of the range as objects, one answer object for each, and
 * `JSON.stringify` over all. The server checks no key, limits and logs nothing, and rounds nothing, as its data
 * need no rounding.
 *
 * Arguments: `records` (Fleetgate's own table) or `columns` (a column for each field), the database file, and a
 * JSON file of the objects that clients may request.
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import type { Fix } from '../packages/server/src/base/domain/position/fix.ts'
import {
  MICRO,
  readCounters,
  unpackFix,
} from '../packages/server/src/base/domain/position/fix-record.ts'
import { HOUR_MS } from '../packages/server/src/base/domain/time/time.ts'
import { FIX_COLUMNS } from './columns-table.ts'
import type { Tenant } from './tenants.ts'

const [source, database, tenantsFile] = process.argv.slice(2) as [string, string, string]
const tenants: Tenant[] = JSON.parse(readFileSync(tenantsFile, 'utf8'))
const byObject = new Map(tenants.map((tenant) => [tenant.object, tenant]))
const reader = new DatabaseSync(database, { readOnly: true })
const select = reader.prepare(`
  SELECT ${source === 'records' ? 'fix' : FIX_COLUMNS} FROM positions
  WHERE organization = ? AND object = ? AND time_device BETWEEN ? AND ?
  ORDER BY time_device`)

const server = createServer((request, response) => {
  const url = new URL(request.url!, 'http://127.0.0.1')
  const tenant = byObject.get(Number(url.pathname.split('/')[4]))!
  const [from, to] = [timeOf(url, 'from_time'), timeOf(url, 'to_time')]
  const result = rowsOf(tenant, from, to).map((row) => ({
    id: tenant.object,
    ident: tenant.ident,
    name: tenant.name,
    latitude: row.latitude,
    longitude: row.longitude,
    altitude: row.altitude,
    angle: row.angle,
    speed: row.speed,
    time_server: new Date(row.timeServer).toISOString(),
    time_device: new Date(row.timeDevice).toISOString(),
    engine_hours: row.engineHours,
    odometer: row.odometer,
    mileage: row.mileage,
    address: row.address ?? tenant.address,
  }))
  response.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8' })
  response.end(JSON.stringify({ statusCode: 200, result }))
})
// As in Fleetgate: a connection outlasts the rounds of the other server.
server.keepAliveTimeout = 65_000
server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port))

type Row = Fix & { mileage: number | null }

function rowsOf(tenant: Tenant, from: number, to: number): Row[] {
  const rows = select.all(tenant.organization, tenant.object, from, to)
  if (source === 'columns') return rows as unknown as Row[]
  return (rows as { fix: Uint8Array }[]).map(({ fix }) => rowOf(fix))
}

/** A position, its counters in hours and km. */
function rowOf(bytes: Uint8Array): Row {
  const record = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const row = unpackFix(record) as Row
  const { engineHours, odometer, mileage } = readCounters(record)
  row.engineHours = engineHours === null ? null : engineHours / HOUR_MS
  row.odometer = odometer === null ? null : odometer / MICRO
  row.mileage = mileage === null ? null : mileage / MICRO
  return row
}

function timeOf(url: URL, name: string): number {
  return Date.parse(url.searchParams.get(name)!)
}
