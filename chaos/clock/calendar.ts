import { join } from 'node:path'
import { request } from '../../acceptance/harness/client.ts'
import { PREFIX } from '../../acceptance/harness/organization.ts'
import {
  API_KEY,
  FEED_TOKEN,
  newSecret,
  type SecretKind,
} from '../../packages/server/src/access/secret.ts'
import { OBJECT_DEFAULTS } from '../../packages/server/src/domain/monitored-object.ts'
import { ORGANIZATION_DEFAULTS } from '../../packages/server/src/domain/organization.ts'
import { openSqliteStore } from '../../packages/server/src/store/sqlite/open.ts'
import type { KeyStore, Store } from '../../packages/server/src/store/store.ts'
import type { Finding, Trial } from '../part.ts'
import { type SignalledServer, startServer } from '../server.ts'
import type { FakeClock } from './fake-clock.ts'

const DAY_S = 86_400
const HOUR_S = 3_600
/** The daily quota of each object; small enough that no window refuses. */
const QUOTA = 2
/** The key expires half an hour after the trial begins. */
const KEY_LIVES_MS = 1_800_000
/** Tolerance for a clock in milliseconds, seen through a busy server. */
const NEAR_MS = 5_000

type Fleet = { key: string; endingKey: string; token: string; object: number; ident: string }

/** Tests dates and expiries while the clock moves back and forth over midnight and the expiry of a key. */
export async function stepCalendar(trial: Trial, clock: FakeClock): Promise<Finding[]> {
  const folder = join(trial.folder, 'calendar')
  const { asking, charged } = await layDown(folder)
  const toMidnightS = DAY_S - Math.floor((Date.now() / 1_000) % DAY_S)
  const start = () => startServer(['--data', folder], clock.environment)
  clock.set(0)
  let server = await start()
  const findings: Finding[] = []
  findings.push(await keyAcross(clock, server, asking))
  findings.push(await positionsAcross(clock, server, asking))
  findings.push(await timestampAcross(clock, server, asking))
  // A minute on either side of midnight, twice; and once more after a restart.
  const nights: Night[] = []
  for (const [aheadS, isNew] of [
    [toMidnightS - 60, true],
    [toMidnightS + 60, true],
    [toMidnightS - 60, false],
    [toMidnightS + 60, false],
  ] as const) {
    clock.set(aheadS)
    nights.push({ expected: isNew ? QUOTA : 0, granted: await grants(server, charged) })
  }
  server.signal('SIGTERM')
  await server.ended
  server = await start()
  nights.push({ expected: 0, granted: await grants(server, charged) })
  server.signal('SIGTERM')
  await server.ended
  clock.set(0)
  findings.push(quotaFinding(nights))
  return findings
}

/** The expected and actual requests within a quota on one side of midnight. */
type Night = { expected: number; granted: number }

async function layDown(folder: string): Promise<{ asking: Fleet; charged: Fleet }> {
  const store = await openSqliteStore(folder)
  try {
    // Two organizations, so that all requests fit into their windows.
    return { asking: await addFleet(store, 'Asking'), charged: await addFleet(store, 'Charged') }
  } finally {
    await store.close()
  }
}

async function addFleet(store: Store, name: string): Promise<Fleet> {
  const now = Date.now()
  const { id } = await store.organizations.create(
    { ...ORGANIZATION_DEFAULTS, name, dailyQuota: QUOTA },
    now,
  )
  const issue = async (keys: KeyStore, kind: SecretKind, expiresAt: number | null) => {
    const { secret, ...stored } = newSecret(kind)
    await keys.issue(id, { ...stored, name: 'calendar', expiresAt }, now)
    return secret
  }
  const ident = '350000000000001'
  const [put] = await store.objects.put(id, [{ ...OBJECT_DEFAULTS, name: 'Van', ident }], now)
  if (put?.outcome !== 'created') throw new Error('the object was not made')
  return {
    key: await issue(store.keys, API_KEY, null),
    endingKey: await issue(store.keys, API_KEY, now + KEY_LIVES_MS),
    token: await issue(store.feedTokens, FEED_TOKEN, null),
    object: put.id,
    ident,
  }
}

function get(server: SignalledServer, path: string, key: string) {
  const headers = { 'x-api-key': key }
  return request(`http://127.0.0.1:${server.port}`, PREFIX + path, { headers })
}

/** Requests positions until one is refused; returns the number of granted ones. */
async function grants(server: SignalledServer, { object, key }: Fleet): Promise<number> {
  const path = `/objects/${object}/positions?from_time=2024-01-01&to_time=2024-01-02`
  for (let granted = 0; ; granted++) {
    const { status, json, text } = await get(server, path, key)
    if (status === 200) continue
    if (json.errorCode !== 'PUBLIC.400_005') throw new Error(`not for the quota: ${text}`)
    return granted
  }
}

function quotaFinding(nights: readonly Night[]): Finding {
  const counts = nights.map(({ granted }) => granted).join(', ')
  const expected = nights.map((night) => night.expected).join(', ')
  return {
    what: `a daily quota of ${QUOTA} before and after midnight, before and after it once more, and after a restart: granted`,
    bar: expected,
    measured: counts,
    met: counts === expected,
  }
}

async function keyAcross(
  clock: FakeClock,
  server: SignalledServer,
  { endingKey }: Fleet,
): Promise<Finding> {
  const statuses: number[] = []
  for (const aheadS of [0, HOUR_S, 0]) {
    clock.set(aheadS)
    statuses.push((await get(server, '/sites', endingKey)).status)
  }
  const counts = statuses.join(', ')
  return {
    what: 'a key that ends in half an hour: now, an hour ahead, and now again',
    bar: '200, 401, 200',
    measured: counts,
    met: counts === '200, 401, 200',
  }
}

/** Devices send the right time, regardless of the server's clock. */
async function positionsAcross(
  clock: FakeClock,
  server: SignalledServer,
  { ident, token }: Fleet,
): Promise<Finding> {
  const outcomes: string[] = []
  for (const [i, aheadS] of [0, -HOUR_S, HOUR_S, 0].entries()) {
    clock.set(aheadS)
    const row = { ident, time_device: Date.now() + i * 1_000, latitude: 41, longitude: 2 }
    const { status, json } = await request(
      `http://127.0.0.1:${server.feedPort}`,
      '/feed/v1/positions',
      {
        method: 'POST',
        headers: { 'x-feed-token': token },
        body: JSON.stringify([row]),
      },
    )
    outcomes.push(`${status === 200 ? json.result.stored : status}`)
  }
  clock.set(0)
  const counts = outcomes.join(', ')
  return {
    what: 'positions of the right time: sent in time, an hour behind, an hour ahead, in time: stored',
    bar: '1, 1, 1, 1',
    measured: counts,
    met: counts === '1, 1, 1, 1',
  }
}

async function timestampAcross(
  clock: FakeClock,
  server: SignalledServer,
  { key }: Fleet,
): Promise<Finding> {
  clock.set(HOUR_S)
  const { json } = await get(server, '/objects/x', key)
  clock.set(0)
  const offMs = Date.parse(json.timestamp) - (Date.now() + HOUR_S * 1_000)
  return {
    what: 'the timestamp of an error, an hour ahead',
    bar: 'as the clock shows',
    measured: Math.abs(offMs) < NEAR_MS ? 'as the clock shows' : `off by ${offMs} ms`,
    met: Math.abs(offMs) < NEAR_MS,
  }
}
