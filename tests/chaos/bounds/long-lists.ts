import { join } from 'node:path'
import { addDrive } from '../../../bench/drive.ts'
import { addTenants, type Tenant } from '../../../bench/tenants.ts'
import {
  FEED_TOKEN,
  newSecret,
  OPERATOR_TOKEN,
} from '../../../packages/server/src/base/access/secret.ts'
import { openStore } from '../../../packages/server/src/run/compose.ts'
import { inFolder } from '../../acceptance/harness/deployment.ts'
import { type ServerProcess, serve } from '../../acceptance/harness/server.ts'
import type { Finding, Trial } from '../part.ts'
import { besideUndisturbed } from './undisturbed.ts'

const OTHERS = 200
/** Positions of the object whose values are asked for, and the attributes of each. */
const ROWS = 40_000
const ATTRIBUTES = 64
/** A packet has at most 50,000 attributes. */
const PACKET = 700
const SOURCES = 1_400
const NAMES = 690_000
const ROUNDS = 5
const ACTS = ['publish', 'hide', 'remove']
/** Later answers count as missing. */
const MAX_MS = 120_000

/** A token of one organization names 1,400 sources of values of 40,000 positions, and 690,000 attributes in an act. */
export async function longLists(trial: Trial): Promise<Finding[]> {
  const folder = join(trial.folder, 'long-lists')
  const { others, attacker, token, feedToken } = await makeFolder(folder)
  const server = await serve(inFolder(folder), ['--geocoder', 'off'])
  const at = `${server.admin}/admin/v1/organizations/${attacker.organization}`
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const statuses = new Map<number, number>()

  async function ask(path: string, body?: string): Promise<void> {
    const method = body === undefined ? 'GET' : 'POST'
    const sent = { method, headers, signal: AbortSignal.timeout(MAX_MS), ...(body && { body }) }
    const answer = await fetch(at + path, sent)
    await answer.arrayBuffer()
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
  }

  try {
    await sendPositions(server, attacker, feedToken)
    const to = new Date().toISOString()
    const range = `from=${new Date(0).toISOString()}&to=${to}`
    const sources = Array.from({ length: SOURCES }, (_, name) => `&source=${name.toString(16)}`)
    const values = `/objects/${attacker.object}/attributes/values?${range}${sources.join('')}`
    const names = JSON.stringify({ names: Array.from({ length: NAMES }, () => 'q0') })
    const findings = await besideUndisturbed('long lists', server, others, async () => {
      for (let round = 0; round < ROUNDS; round += 1) {
        await ask(values)
        for (const act of ACTS) await ask(`/attributes/${act}`, names)
      }
    })
    const answers = [...statuses].map(([status, count]) => `${count} of ${status}`).join(', ')
    return [
      ...findings,
      {
        what: `${SOURCES.toLocaleString('en')} sources and ${NAMES.toLocaleString('en')} names: answers`,
        bar: '400, before any work',
        measured: answers,
        met: [...statuses.keys()].join() === '400',
      },
    ]
  } finally {
    await server.stop()
  }
}

async function makeFolder(folder: string) {
  const store = await openStore({ folder })
  const [attacker, ...others] = (await addTenants(store, OTHERS + 1)) as [Tenant, ...Tenant[]]
  for (const tenant of others) await addDrive(store, tenant, 1)
  const { secret, ...kept } = newSecret(OPERATOR_TOKEN)
  const { organization } = attacker
  const reach = { kind: 'token', role: 'administrator', organization, expiresAt: null } as const
  const issuer = { account: null, token: null }
  await store.access.issue({ ...kept, ...reach, name: 'attack' }, issuer, Date.now())
  const { secret: feedToken, ...stored } = newSecret(FEED_TOKEN)
  await store.feedTokens.issue(
    organization,
    { ...stored, name: 'feed', expiresAt: null },
    Date.now(),
  )
  await store.close()
  return { others, attacker, token: secret, feedToken }
}

async function sendPositions({ feed }: ServerProcess, { ident }: Tenant, token: string) {
  const attributes = Object.fromEntries(
    Array.from({ length: ATTRIBUTES }, (_, index) => [`z${index}`, index]),
  )
  const start = Date.now() - 2 * ROWS * 1_000
  for (let first = 0; first < ROWS; first += PACKET) {
    const rows = Array.from({ length: Math.min(PACKET, ROWS - first) }, (_, index) => ({
      ...{ ident, time_device: start + (first + index) * 1_000, attributes },
      ...{ latitude: 41 + (first + index) / 100_000, longitude: 2, speed: 40 },
    }))
    const headers = { 'x-feed-token': token }
    const sent = { method: 'POST', headers, body: JSON.stringify(rows) }
    const answer = await fetch(`${feed}/feed/v1/positions`, sent)
    if (answer.status !== 200) throw new Error(`positions were answered ${answer.status}`)
    await answer.arrayBuffer()
  }
}
