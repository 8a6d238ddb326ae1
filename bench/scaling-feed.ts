import { FEED_TOKEN, newSecret } from '../packages/server/src/base/access/secret.ts'
import { ORGANIZATION_DEFAULTS } from '../packages/server/src/base/domain/organization.ts'
import { keysOf } from '../packages/server/src/data/live/redis/redis-keys.ts'
import { openStore } from '../packages/server/src/run/compose.ts'
import type { ChildFleetgate } from './child-server.ts'
import { closedLoop } from './closed-loop.ts'
import { identOf, nativeRequest, osmandRequest } from './feed-packets.ts'
import { familyProcessorSeconds, processorSeconds } from './processor.ts'
import { type Figure, isSmall, progress } from './report.ts'
import { rotation } from './requests.ts'
import type { SharedDeployment } from './shared-deployment.ts'

/** Each has as many vehicles as a batch holds. */
const ORGANIZATIONS = 20
const BATCH = 500
/** All report a few times; then some continue until each has filled many pages. */
const WIDE_STEPS = 4
const DEEP_ORGANIZATIONS = 4
const DEEP_STEPS = isSmall ? 20 : 480
/** The writes of one organization wait for each other. */
const ALONE_STEPS = isSmall ? 20 : 100
const FEEDERS = 4
/** Single packets arrive on a connection each, and wait for the disk together. */
const TRACKERS = 256
const SINGLE_SECONDS = isSmall ? 2 : 10

export type FedFleet = { organizations: number[]; tokens: string[] }

export async function addFleet(database: string): Promise<FedFleet> {
  const store = await openStore({ database })
  const fleet: FedFleet = { organizations: [], tokens: [] }
  const idents = Array.from({ length: BATCH }, (_, vehicle) => identOf(vehicle))
  for (let i = 0; i < ORGANIZATIONS; i++) {
    const now = Date.now()
    const named = { ...ORGANIZATION_DEFAULTS, name: `Fleet ${i}` }
    const { id } = await store.organizations.create(named, now)
    const { secret, ...stored } = newSecret(FEED_TOKEN)
    await store.feedTokens.issue(id, { ...stored, name: 'load', expiresAt: null }, now)
    await store.objects.ensure(id, idents, now)
    fleet.organizations.push(id)
    fleet.tokens.push(secret)
  }
  await store.close()
  return fleet
}

/** Measures the cost of storing positions, and the space that they take. */
export async function measureFeed(
  deployment: SharedDeployment,
  fleetgate: ChildFleetgate,
  { organizations, tokens }: FedFleet,
): Promise<Figure[]> {
  const { sql, redis, postgresPid } = deployment
  const feed = { ...fleetgate, port: fleetgate.feedPort }
  const vehicles = Array.from({ length: BATCH }, (_, vehicle) => vehicle)

  /** Resources used since then for each position. */
  async function since() {
    const before = await used()
    return async (
      name: string,
      { ok, perSecond }: { ok: number; perSecond: number },
      of: number,
    ) => {
      const now = await used()
      const each = (key: keyof typeof now) => (now[key] - before[key]) / (ok * of)
      const micro = (key: keyof typeof now) => each(key) * 1e6
      return [
        { name: `${name}, by the clock`, value: perSecond * of, unit: 'positions/s' },
        { name: '  Fleetgate, processor', value: micro('fleetgate'), unit: 'us a position' },
        { name: '  PostgreSQL, processor', value: micro('postgres'), unit: 'us a position' },
        { name: '  Redis, processor', value: micro('redis'), unit: 'us a position' },
        { name: '  WAL', value: each('wal'), unit: 'bytes a position' },
        { name: '  of it, images of whole pages', value: each('images'), unit: 'pages a position' },
        { name: '  commits', value: each('commits'), unit: 'a position' },
      ]
    }
  }

  async function used() {
    const { rows } = await sql.query(`
      SELECT pg_current_wal_insert_lsn() - '0/0' AS wal, wal_fpi AS images,
        (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()) AS commits
      FROM pg_stat_wal`)
    return {
      fleetgate: processorSeconds(fleetgate.pid),
      postgres: familyProcessorSeconds(postgresPid),
      redis: processorSeconds(redis.pid),
      wal: Number(rows[0].wal),
      images: Number(rows[0].images),
      commits: Number(rows[0].commits),
    }
  }

  function* batches(tokens: string[], from: number, to: number) {
    for (let step = from; step < to; step++) {
      for (const token of tokens) yield nativeRequest(token, vehicles, step)
    }
  }

  async function drain(requests: Iterator<Buffer>) {
    const round = await closedLoop(feed, () => requests.next().value, FEEDERS, Infinity)
    if (round.others > 0) throw new Error(`${round.others} batches were refused`)
    return round
  }

  progress(`${ORGANIZATIONS * BATCH} vehicles, ${WIDE_STEPS} positions each`)
  await drain(batches(tokens, 0, WIDE_STEPS))
  const deep = tokens.slice(0, DEEP_ORGANIZATIONS)
  progress(`${DEEP_ORGANIZATIONS * BATCH} of them, ${DEEP_STEPS} more each`)
  await sql.query('CHECKPOINT')
  const ofBatches = await since()
  const end = WIDE_STEPS + DEEP_STEPS
  const native = await ofBatches(
    `batches of ${BATCH}`,
    await drain(batches(deep, WIDE_STEPS, end)),
    BATCH,
  )
  progress('those of one organization alone')
  const ofOne = await since()
  const one = await ofOne(
    'batches of one organization alone',
    await drain(batches(tokens.slice(-1), WIDE_STEPS, WIDE_STEPS + ALONE_STEPS)),
    BATCH,
  )
  const room = await roomOfPositions(deployment)

  progress('one by one')
  const token = rotation(deep)
  let sent = 0
  const next = () => {
    const [round, vehicle] = [
      Math.floor(sent / deep.length / BATCH),
      Math.floor(sent / deep.length),
    ]
    sent++
    return osmandRequest(token(), vehicle % BATCH, end + round)
  }
  const ofSingles = await since()
  const round = await closedLoop(feed, next, TRACKERS, SINGLE_SECONDS)
  if (round.others > 0) throw new Error(`${round.others} packets were refused`)
  const singles = await ofSingles('single packets', round, 1)

  return [
    ...native,
    ...one,
    ...singles,
    ...room,
    ...(await roomOfStates(deployment, organizations)),
  ]
}

async function roomOfPositions({ sql }: SharedDeployment): Promise<Figure[]> {
  // As autovacuum does a minute later: an index-only scan needs its visibility marks.
  await sql.query('VACUUM (FREEZE) positions')
  const { rows } = await sql.query(`
    SELECT (SELECT count(*) FROM positions) AS rows,
      (SELECT avg(octet_length(fix)) FROM positions) AS record,
      (SELECT avg(octet_length(track)) FROM positions) AS track,
      sum(pg_table_size(relid)) AS heap, sum(pg_indexes_size(relid)) AS index
    FROM pg_partition_tree('positions') WHERE isleaf`)
  const [{ rows: count, record, track, heap, index }] = rows
  // As upkeep does for a past week.
  await sql.query('REINDEX TABLE positions')
  const { rows: packed } = await sql.query(
    `SELECT sum(pg_indexes_size(relid)) AS index FROM pg_partition_tree('positions') WHERE isleaf`,
  )
  return [
    { name: 'positions stored', value: Number(count), unit: '' },
    { name: '  record, without an address', value: Number(record), unit: 'bytes' },
    { name: '  track', value: Number(track), unit: 'bytes' },
    { name: '  in the table', value: heap / count, unit: 'bytes each' },
    { name: '  in its index, as it grows', value: index / count, unit: 'bytes each' },
    { name: '  in its index, built anew', value: packed[0].index / count, unit: 'bytes each' },
  ]
}

async function roomOfStates(
  { sql, redis, database }: SharedDeployment,
  organizations: number[],
): Promise<Figure[]> {
  const store = await openStore({ database })
  const keys = keysOf((await store.secret()).export())
  await store.close()
  const client = redis.client()
  let bytes = 0
  let states = 0
  for (const organization of organizations) {
    const key = keys.states(organization)
    bytes += Number(await client.memory('USAGE', key, 'SAMPLES', '0'))
    // Four fields describe the others.
    states += (await client.hlen(key)) - 4
  }
  const { rows } = await sql.query(`
    SELECT pg_total_relation_size('object_states') + pg_total_relation_size('objects') AS bytes,
      (SELECT count(*) FROM object_states) AS states`)
  return [
    { name: 'states in Redis', value: states, unit: '' },
    { name: '  each', value: bytes / states, unit: 'bytes' },
    {
      name: 'objects and their states in PostgreSQL, each',
      value: rows[0].bytes / rows[0].states,
      unit: 'bytes',
    },
  ]
}
