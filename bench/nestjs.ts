/**
 * Compares the operations of the contract with a build that a user would make: NestJS with Fastify, TypeORM and
 * `@nestjs/throttler` on PostgreSQL (`nestjs/`). Rounds of that build, of Fleetgate on a data folder and of
 * Fleetgate on PostgreSQL and Redis alternate. The server on a data folder has one processor; the others, with
 * their databases, share both with the client.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { openStore } from '../packages/server/src/compose.ts'
import type { Store } from '../packages/server/src/store/store.ts'
import { readJson } from './answered-rows.ts'
import { captureAnswer } from './captured-answer.ts'
import { BIN, type ChildServer, startFleetgate } from './child-server.ts'
import { type Connection, connect } from './connection.ts'
import { addDrive } from './drive.ts'
import { addFleets, type Fleet } from './fleets.ts'
import { startNestjs } from './nestjs-server.ts'
import { addPositions, copyCatalogue } from './nestjs-tables.ts'
import type { AnswerRow } from './platformatic-table.ts'
import { familyProcessorSeconds, threadSeconds, unpin } from './processor.ts'
import { type Figure, isSmall, overRounds, progress, report } from './report.ts'
import { detailPath, getRequest, historyPath } from './requests.ts'
import { startSharedDeployment } from './shared-deployment.ts'
import { addTenants, type Tenant } from './tenants.ts'

const ROUNDS = isSmall ? 2 : 5
/** Seconds of one kind of request in a round; a slow server answers fewer of them. */
const ROUND_SECONDS = isSmall ? 0.5 : 3
const WINDOW_MS = 10_100
/** Requests of one kind to an organization in a round. No organization gets more than three kinds. */
const REQUESTS_EACH = 3
const BAR = 3

/**
 * Number of organizations, each with one drive of this length or this many objects. A server that has answered
 * all allowed requests ends its round early.
 */
const DRIVES = [
  { rows: 1, organizations: isSmall ? 1_000 : 6_000 },
  { rows: 100, organizations: isSmall ? 100 : 1_000 },
  { rows: 1_000, organizations: isSmall ? 30 : 300 },
  { rows: 10_000, organizations: isSmall ? 10 : 50 },
]
const LONGEST = DRIVES.at(-1)!.rows
const FLEETS = [
  { objects: 100, organizations: isSmall ? 50 : 300 },
  { objects: 10_000, organizations: isSmall ? 2 : 4 },
]

using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-bench-'))
await using deployment = await startSharedDeployment()
const data = join(folder.path, 'data')
mkdirSync(data)
progress('organizations, objects and positions')
const store = await openStore({ folder: data })
const drivers = new Map<number, Tenant[]>()
for (const { rows, organizations } of DRIVES) {
  drivers.set(rows, await addDrivers(store, organizations, rows))
}
const fleets = new Map<number, Fleet[]>()
for (const { objects, organizations } of FLEETS) {
  fleets.set(objects, await addFleets(store, organizations, objects))
}

progress('the same on PostgreSQL, and in tables of typed columns')
execFileSync(process.execPath, [
  BIN,
  'copy',
  '--quiet',
  '--from',
  data,
  '--to',
  deployment.database,
])
await using nestjs = await startNestjs(
  deployment.database,
  deployment.sql,
  join(folder.path, 'nestjs.log'),
)
await copyCatalogue(deployment.sql, store)
await store.close()
// Geocoding would give objects addresses that the other tables lack.
const QUIET = ['--geocoder', 'off']
await using embedded = await startFleetgate(data, ['--data', data, ...QUIET])
await using shared = await startFleetgate(folder.path, [...deployment.place, ...QUIET])
const [longest] = drivers.get(LONGEST)!
await addPositions(
  deployment.sql,
  (await resultOf(embedded, historyPath(longest!, LONGEST), longest!.key)) as AnswerRow[],
  Array.from(drivers, ([rows, tenants]) => tenants.map(({ object }) => ({ object, rows }))).flat(),
)
await deployment.sql.query('VACUUM (FREEZE, ANALYZE) positions')
for (const { pid } of [shared, nestjs]) unpin(pid)

type Request = { path: string; key: string }
/** One kind of request, for as many organizations as it needs. */
type Kind = { name: string; requests: Request[]; atOnce: number; isRepeated: boolean }

const LIST = '/public/v1/objects'
const SHORT = { atOnce: 64, isRepeated: false }
const LONG = { atOnce: 4, isRepeated: false }
const drove = (rows: number) => drivers.get(rows)!
const have = (objects: number) => fleets.get(objects)!
const KINDS: Kind[] = [
  { name: 'detail', requests: drove(1).map((one) => request(one, detailPath(one))), ...SHORT },
  {
    name: 'latest of 1',
    requests: drove(1).map((one) => request(one, latestPath([one.object]))),
    ...SHORT,
  },
  {
    name: 'latest of 100',
    requests: have(100).map((fleet) => request(fleet, latestPath(fleet.objects))),
    ...SHORT,
  },
  ...FLEETS.flatMap(({ objects }) => {
    const name = `list of ${objects.toLocaleString('en')}`
    const kind = { requests: have(objects).map((fleet) => request(fleet, LIST)), ...LONG }
    return [
      { name, ...kind },
      { name: `${name}, unchanged`, ...kind, isRepeated: true },
    ]
  }),
  ...DRIVES.slice(1).map(({ rows }) => ({
    name: `history of ${rows.toLocaleString('en')}`,
    requests: drove(rows).map((one) => request(one, historyPath(one, rows))),
    ...LONG,
  })),
]
const contenders = { embedded, shared, nestjs }
type Name = keyof typeof contenders

progress('comparing the answers')
for (const { requests, isRepeated, name } of KINDS) {
  if (isRepeated) continue
  const [{ path, key }] = requests as [Request]
  const expected = await resultOf(embedded, path, key)
  for (const server of [shared, nestjs])
    assertSame(await resultOf(server, path, key), expected, name)
}
// A state that was read into an empty Redis is compared with the database some seconds later, and read again.
// Lists keep their tags from then on.
await tellWires()
await pause(WINDOW_MS)
const wires = await tellWires()
await pause(WINDOW_MS)

type Speed = { perSecond: number; perProcessorSecond: number }
const rounds: Map<Kind, Record<Name, Speed>>[] = []
for (let i = 0; i <= ROUNDS; i++) {
  const round: (typeof rounds)[number] = new Map()
  for (const kind of KINDS) {
    progress(`${i === 0 ? 'warming up' : `round ${i} of ${ROUNDS}`}: ${kind.name}`)
    round.set(kind, {
      nestjs: await measure('nestjs', kind),
      embedded: await measure('embedded', kind),
      shared: await measure('shared', kind),
    })
  }
  if (i > 0) rounds.push(round)
  // Waits until all windows are empty.
  await pause(WINDOW_MS)
}
report('beside NestJS, Fastify and TypeORM on PostgreSQL', KINDS.flatMap(figuresOf))

/** Requests of a few parallel clients, each answer read whole. */
async function measure(name: Name, kind: Kind): Promise<Speed> {
  const server = contenders[name]
  const wire = wires.get(kind)![name]
  using stack = new DisposableStack()
  const connecting = Array.from({ length: kind.atOnce }, () => connect(server.port))
  const lines = await Promise.all(connecting)
  for (const line of lines) stack.defer(() => line.close())
  const before = usedBy(name)
  const begun = performance.now()
  const end = begun + ROUND_SECONDS * 1000
  let sent = 0
  let answered = 0
  const askOn = async (line: Connection) => {
    while (performance.now() < end && sent < wire.length * REQUESTS_EACH) {
      const next = wire[sent++ % wire.length]!
      const status = await new Promise<number>((resolve) => line.send(next, resolve))
      if (status !== (kind.isRepeated ? 304 : 200)) {
        throw new Error(`${status} to a ${kind.name} of ${name}`)
      }
      answered += 1
    }
  }
  await Promise.all(lines.map(askOn))
  const seconds = (performance.now() - begun) / 1000
  const used = usedBy(name) - before
  return { perSecond: answered / seconds, perProcessorSecond: answered / used }
}

/** Seconds of processor time of the server and of its databases. */
function usedBy(name: Name): number {
  const own = threadSeconds(contenders[name].pid)
  if (name === 'embedded') return own
  const postgres = familyProcessorSeconds(deployment.postgresPid)
  return own + postgres + (name === 'shared' ? threadSeconds(deployment.redis.pid) : 0)
}

function figuresOf(kind: Kind): Figure[] {
  const ratio = (name: Name, of: keyof Speed) =>
    overRounds(rounds, (round) => round.get(kind)![name][of] / round.get(kind)!.nestjs[of])
  const pace = (name: Name) => overRounds(rounds, (round) => round.get(kind)![name].perSecond)
  return [
    {
      name: `${kind.name}, of NestJS`,
      ...ratio('embedded', 'perSecond'),
      unit: 'times',
      atLeast: BAR,
    },
    {
      name: `${kind.name}, of NestJS, by processor time`,
      ...ratio('embedded', 'perProcessorSecond'),
      unit: 'times',
      atLeast: BAR,
    },
    {
      name: `${kind.name}, PostgreSQL and Redis, of NestJS`,
      ...ratio('shared', 'perSecond'),
      unit: 'times',
    },
    {
      name: `${kind.name}, PostgreSQL and Redis, of NestJS, by processor time`,
      ...ratio('shared', 'perProcessorSecond'),
      unit: 'times',
    },
    { name: kind.name, ...pace('embedded'), unit: 'requests/s' },
    { name: `${kind.name}, PostgreSQL and Redis`, ...pace('shared'), unit: 'requests/s' },
    { name: `${kind.name}, NestJS`, ...pace('nestjs'), unit: 'requests/s' },
  ]
}

async function tellWires(): Promise<Map<Kind, Record<Name, Buffer[]>>> {
  const byKind = new Map<Kind, Record<Name, Buffer[]>>()
  for (const kind of KINDS) {
    const [ofNestjs, ofEmbedded, ofShared] = await Promise.all([
      inWire(nestjs, kind),
      inWire(embedded, kind),
      inWire(shared, kind),
    ])
    byKind.set(kind, { nestjs: ofNestjs, embedded: ofEmbedded, shared: ofShared })
  }
  return byKind
}

function request({ key }: { key: string }, path: string): Request {
  return { path, key }
}

function latestPath(ids: number[]): string {
  return `/public/v1/positions/latest?ids=${ids.join()}`
}

/** Requests in wire format, with the entity tag of the answer if the request repeats. */
async function inWire({ port }: ChildServer, { requests, isRepeated }: Kind): Promise<Buffer[]> {
  const wire: Buffer[] = []
  for (const { path, key } of requests) {
    const headers: Record<string, string> = { 'x-api-key': key }
    if (isRepeated) headers['if-none-match'] = await tagOf(port, path, headers)
    wire.push(getRequest(path, headers))
  }
  return wire
}

async function tagOf(port: number, path: string, headers: Record<string, string>) {
  const { headers: answered } = await captureAnswer(port, path, headers)
  const at = answered.findIndex((name) => name.toLowerCase() === 'etag')
  if (at === -1) throw new Error(`no ETag to ${path}`)
  return answered[at + 1]!
}

type Result = AnswerRow | AnswerRow[]

async function resultOf(server: ChildServer, path: string, key: string): Promise<Result> {
  const headers = { 'x-api-key': key }
  const { statusCode, result, ...rest } = await readJson<{ statusCode: number; result: Result }>(
    server.port,
    path,
    headers,
  )
  assert.deepEqual({ statusCode, rest }, { statusCode: 200, rest: {} })
  return result
}

/** Row by row: printing a difference of this size takes minutes. */
function assertSame(actual: Result, expected: Result, name: string): void {
  const [rows, expectedRows] = [actual, expected].map((result) => [result].flat())
  assert.equal(rows!.length, expectedRows!.length, name)
  for (const [i, row] of expectedRows!.entries()) assert.deepEqual(rows![i], row, name)
}

/** In parallel, as each waits for the disk. */
async function addDrivers(store: Store, count: number, rows: number): Promise<Tenant[]> {
  const added = Array.from({ length: 10 }, async () => {
    const tenants = await addTenants(store, count / 10)
    for (const tenant of tenants) await addDrive(store, tenant, rows)
    return tenants
  })
  return (await Promise.all(added)).flat()
}
