/**
 * History as it is mostly written: the rows of the range as objects, one object of the documented
 * fields made of each, and all of them through `JSON.stringify`. It checks no key, limits and logs
 * nothing, and rounds nothing, as what it is given needs no rounding.
 *
 * Arguments: `records` (Fleetgate's own table) or `columns` (a column for each field), the database
 * file, and a JSON file of the objects that it may be asked for.
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { DatabaseSync } from 'node:sqlite'
import type { Fix } from '../packages/server/src/domain/fix.ts'
import { unpackFix } from '../packages/server/src/domain/fix-record.ts'
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
  const result = fixes(tenant, from, to).map((fix) => ({
    id: tenant.object,
    ident: tenant.ident,
    name: tenant.name,
    latitude: fix.latitude,
    longitude: fix.longitude,
    altitude: fix.altitude,
    angle: fix.angle,
    speed: fix.speed,
    time_server: new Date(fix.timeServer).toISOString(),
    time_device: new Date(fix.timeDevice).toISOString(),
    engine_hours: fix.engineHours,
    odometer: fix.odometer,
    mileage: fix.mileage,
    address: fix.address ?? tenant.address,
  }))
  response.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8' })
  response.end(JSON.stringify({ statusCode: 200, result }))
})
// As Fleetgate does: a connection outlasts the rounds in which others are asked.
server.keepAliveTimeout = 65_000
server.listen(0, '127.0.0.1', () => process.send!((server.address() as AddressInfo).port))

function fixes(tenant: Tenant, from: number, to: number): Fix[] {
  const rows = select.all(tenant.organization, tenant.object, from, to)
  if (source === 'columns') return rows as unknown as Fix[]
  return (rows as { fix: Uint8Array }[]).map(({ fix }) => unpackFix(fix))
}

function timeOf(url: URL, name: string): number {
  return Date.parse(url.searchParams.get(name)!)
}
