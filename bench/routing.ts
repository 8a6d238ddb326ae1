/**
 * Measures what a packet costs with a feed token of the deployment, and with those of organizations, in short
 * alternating rounds on one server: `node bench/routing.ts`. Figures are those of the fastest quarter of the rounds.
 */
import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FEED_TOKEN, newSecret } from '../packages/server/src/base/access/secret.ts'
import { ORGANIZATION_DEFAULTS } from '../packages/server/src/base/domain/organization.ts'
import { DEPLOYMENT } from '../packages/server/src/base/domain/routing-rule.ts'
import type { KeyStore } from '../packages/server/src/engine/store/key-store.ts'
import { openStore } from '../packages/server/src/run/compose.ts'
import { startFleetgate } from './child-server.ts'
import { closedLoop } from './closed-loop.ts'
import { identOf, nativeRequest, packetAt } from './feed-packets.ts'
import { CLIENT_PROCESSOR, pin } from './processor.ts'
import { type Figure, isSmall, percentile, progress, report } from './report.ts'

const ORGANIZATIONS = 3
const VEHICLES = 500
const ROUNDS = isSmall ? 8 : 24
const WARM_UPS = isSmall ? 1 : 3
const TRACCAR_REQUESTS = 64
const FEEDERS = 4
/** In each round. */
const STEPS = 4
const BATCHES = 16

type Tokens = { ofOrganizations: string[]; ofDeployment: string }
/** The token of a packet of an organization. */
type TokenOf = (organization: number) => string

using folder = mkdtempDisposableSync(join(tmpdir(), 'fleetgate-bench-'))
pin(process.pid, CLIENT_PROCESSOR)
const tokens = await fill(folder.path)
await using server = await startFleetgate(folder.path)
const feed = { pid: server.pid, port: server.feedPort }
const KINDS = [
  'Traccar positions of three organizations',
  'batches of 500 of one organization',
] as const
/** For each kind, the processor time of a position with tokens of organizations, and with that of the deployment. */
const found: number[][][] = KINDS.map(() => [[], []])
let step = 0
for (let round = 1 - WARM_UPS; round <= ROUNDS; round += 1) {
  if (round % 8 === 0) progress(`round ${round} of ${ROUNDS}`)
  const sides: TokenOf[] = [
    (organization) => tokens.ofOrganizations[organization]!,
    () => tokens.ofDeployment,
  ]
  // Each side begins every other round.
  const order = round % 2 === 0 ? [0, 1] : [1, 0]
  for (const side of order) {
    const costs = [await sendSingles(sides[side]!), await sendBatches(sides[side]!)]
    if (round > 0) for (const [kind, cost] of costs.entries()) found[kind]![side]!.push(cost)
  }
}

report(
  'A token of the deployment',
  KINDS.flatMap((kind, index): Figure[] => {
    const [own, routed] = found[index]!.map((costs) => percentile(costs, 0.25)) as [number, number]
    return [
      { name: `${kind}, tokens of organizations`, value: own, unit: 'µs of processor time' },
      { name: `${kind}, token of the deployment`, value: routed, unit: 'µs of processor time' },
      { name: `${kind}, the second of the first`, value: routed / own, unit: '', atMost: 1.1 },
    ]
  }),
)

async function fill(data: string): Promise<Tokens> {
  const store = await openStore({ folder: data })
  const now = Date.now()
  const issue = async (keys: KeyStore, organization: number) => {
    const { secret, ...stored } = newSecret(FEED_TOKEN)
    await keys.issue(organization, { ...stored, name: 'load', expiresAt: null }, now)
    return secret
  }
  const ofOrganizations: string[] = []
  for (let organization = 0; organization < ORGANIZATIONS; organization += 1) {
    const settings = { ...ORGANIZATION_DEFAULTS, name: `Customer ${organization}` }
    const { id } = await store.organizations.create(settings, now)
    await store.objects.ensure(id, vehiclesOf(organization).map(identOf), now)
    ofOrganizations.push(await issue(store.feedTokens, id))
  }
  const ofDeployment = await issue(store.deploymentTokens, DEPLOYMENT)
  await store.close()
  return { ofOrganizations, ofDeployment }
}

function vehiclesOf(organization: number): number[] {
  return Array.from({ length: VEHICLES }, (_, index) => organization * VEHICLES + index)
}

function sendSingles(tokenOf: TokenOf): Promise<number> {
  const requests = Array.from({ length: STEPS * VEHICLES * ORGANIZATIONS }, (_, index) => {
    const vehicle = index % (VEHICLES * ORGANIZATIONS)
    const token = tokenOf(Math.floor(vehicle / VEHICLES))
    return traccarRequest(token, vehicle, step + Math.floor(index / (VEHICLES * ORGANIZATIONS)))
  })
  step += STEPS
  return send(requests, TRACCAR_REQUESTS, 1)
}

function sendBatches(tokenOf: TokenOf): Promise<number> {
  const requests = Array.from({ length: BATCHES }, (_, index) =>
    nativeRequest(tokenOf(0), vehiclesOf(0), step + index),
  )
  step += BATCHES
  return send(requests, FEEDERS, VEHICLES)
}

/** Microseconds of the server's processor time for each position. */
async function send(requests: readonly Buffer[], connections: number, rows: number) {
  const left = requests[Symbol.iterator]()
  const round = await closedLoop(feed, () => left.next().value, connections, Infinity)
  if (round.others > 0) throw new Error(`${round.others} packets were refused`)
  return 1e6 / round.perProcessorSecond / rows
}

/** A position as a Traccar server forwards it, in wire format. */
function traccarRequest(token: string, vehicle: number, step: number): Buffer {
  const fix = packetAt(vehicle, step)
  const { latitude, longitude, altitude, angle, speed } = fix
  const time = new Date(fix.timeDevice).toISOString()
  const body = JSON.stringify({
    position: {
      ...{ id: step, deviceId: vehicle, protocol: 'teltonika', outdated: false, valid: true },
      ...{ serverTime: time, deviceTime: time, fixTime: time, latitude, longitude, altitude },
      ...{ speed: speed! / 1.852, course: angle, accuracy: 0, address: null },
      attributes: { ignition: true, sat: 11, hdop: 0.9, motion: true, distance: 12.5 },
    },
    device: { id: vehicle, name: `Bus ${vehicle}`, uniqueId: identOf(vehicle), groupId: 7 },
  })
  const head = [
    'POST /feed/v1/traccar HTTP/1.1',
    'Host: 127.0.0.1',
    `x-feed-token: ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ]
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`)
}
