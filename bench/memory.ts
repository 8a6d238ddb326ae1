/**
 * Measures the memory of a server on a data folder: at rest, for each organization with an active key, and for
 * each idle connection compared with a bare `node:http` server.
 */
import { mkdirSync, mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openStore } from '../packages/server/src/run/compose.ts'
import { captureAnswer } from './captured-answer.ts'
import { type ChildServer, startFleetgate } from './child-server.ts'
import { closedLoop } from './closed-loop.ts'
import { type Connection, connect } from './connection.ts'
import { addDrive } from './drive.ts'
import { CLIENT_PROCESSOR, pin, residentBytes } from './processor.ts'
import { startRaw } from './raw.ts'
import { isSmall, progress, report } from './report.ts'
import { detailRequest, getRequest } from './requests.ts'
import { addTenants, type Tenant } from './tenants.ts'

const TENANTS = isSmall ? 1_000 : 10_000
const CONNECTIONS = isSmall ? 500 : 5_000
const AT_ONCE = 64
const MEGABYTE = 2 ** 20
const KILOBYTE = 2 ** 10
const PING = '/public/v1/ping'

using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-bench-'))
const [empty, full] = ['empty', 'full'].map((name) => join(folder.path, name)) as [string, string]
for (const each of [empty, full]) mkdirSync(each)
progress(`${TENANTS} organizations, each with a key and an object that has reported`)
await openStore({ folder: empty }).then((store) => store.close())
const tenants = await fill(full)

pin(process.pid, CLIENT_PROCESSOR)
progress('at rest')
await using fleetgate = await startFleetgate(empty)
const restBytes = residentBytes(fleetgate.pid)
const ping = await captureAnswer(fleetgate.port, PING, {})
await using raw = await startRaw(folder.path, ping)
progress(`${CONNECTIONS} idle connections`)
const connectionBytes = await growthByConnections(fleetgate)
const rawConnectionBytes = await growthByConnections(raw)

progress('each organization’s key')
await using used = await startFleetgate(full)
const before = residentBytes(used.pid)
const requests = tenants.map(detailRequest)
const { others } = await closedLoop(used, () => requests.pop(), AT_ONCE, Infinity)
const usedBytes = residentBytes(used.pid)

report('memory of a server on a data folder', [
  { name: 'at rest, an empty store', value: restBytes / MEGABYTE, unit: 'MB' },
  { name: `at rest, ${TENANTS} organizations`, value: before / MEGABYTE, unit: 'MB' },
  { name: 'after each has asked once', value: usedBytes / MEGABYTE, unit: 'MB' },
  {
    name: 'an organization with a key in use and an object',
    value: (usedBytes - restBytes) / TENANTS / KILOBYTE,
    unit: 'kB',
  },
  { name: 'answers other than 200', value: others, unit: '', atMost: 0 },
  {
    name: 'an idle connection that has asked once',
    value: connectionBytes / KILOBYTE,
    unit: 'kB',
  },
  { name: 'the same of raw node:http', value: rawConnectionBytes / KILOBYTE, unit: 'kB' },
])

/** Bytes of each idle connection after one request; other connections came and went before. */
async function growthByConnections(server: ChildServer): Promise<number> {
  for (const connection of await openConnections(server, CONNECTIONS / 10)) connection.close()
  const before = residentBytes(server.pid)
  const connections = await openConnections(server, CONNECTIONS)
  const grown = residentBytes(server.pid) - before
  for (const connection of connections) connection.close()
  return grown / CONNECTIONS
}

async function openConnections({ port }: ChildServer, count: number): Promise<Connection[]> {
  const request = getRequest(PING, {})
  const opened: Connection[] = []
  while (opened.length < count) {
    const connections = await Promise.all(Array.from({ length: AT_ONCE }, () => connect(port)))
    await Promise.all(
      connections.map((each) => new Promise((answered) => each.send(request, answered))),
    )
    opened.push(...connections)
  }
  return opened
}

async function fill(data: string): Promise<Tenant[]> {
  const store = await openStore({ folder: data })
  const added = await addTenants(store, TENANTS)
  for (const tenant of added) await addDrive(store, tenant, 1)
  await store.close()
  return added
}
