import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { openSqliteStore } from '../../../packages/server/src/data/sqlite/open.ts'
import type { Finding, Part, Trial } from '../part.ts'
import { playBatch } from './batches.ts'
import { keyedOperations, readDescription } from './description.ts'
import { addFeedTenants, type FeedCount, type FeedTenant, fuzzFeed, hiddenPacket } from './feed.ts'
import { openJudge } from './judge.ts'
import { openLine } from './line.ts'
import { rawFeedShapes, rawShapes } from './raw-shapes.ts'
import { compileRules } from './schemas.ts'
import { openTally, type Tally } from './tally.ts'
import { addTenants, type Tenant } from './tenants.ts'
import { startWatched, type WatchedServer } from './watched-server.ts'
import { tenantOf, WINDOW, type World } from './world.ts'

const ABOUT = `
The fuzzer generates requests from openapi.json and sends them to a \`fleetgate serve\` as it is shipped, pipelined over raw
sockets, on behalf of thousands of organizations. No limit is raised. Parameters are valid, missing, repeated or hostile:
broken percent-encoding and UTF-8, SQL, ids beyond 2^53, dates that do not exist, texts of kilobytes. So are headers, methods
and keys: nearly right, revoked, expired, doubled. Some requests follow pages and entity tags, some exceed the rate window, some
cut their connection in the middle, and some are HTTP of the kind that request smuggling is made of.

Every answer must be exactly one HTTP answer by a strict reader. Its status and code must be those that a second reading of the
contract predicts, which takes bounds and formats from openapi.json. Its body and headers must match the description, with no
further field. A 200 must have exactly the objects, moments and order that were asked for. Exactly 10 requests of an organization
may be admitted in a window. Smuggled requests carry the key of an organization that is used for nothing else, and must never
appear in the log.

The feed gets batches and packets of every format: valid, spoilt, packed, cut or in chunks. The acknowledged positions are compared
afterwards, row by row, with the histories that the API shows.

Each batch has a seed of its own, which also starts a run with only that batch.
`

export const part: Part = {
  name: 'fuzz',
  title: 'Fuzz',
  summary:
    'Generated requests and packets, valid and invalid, go to a server as it is shipped. A second reading of the contract judges each answer.',
  about: ABOUT,
  run,
}

const LINES = 24
/** The possible disagreement between client and server about the end of a window. */
const MARGIN_MS = 100
const SEEDS = 2 ** 31

async function run(trial: Trial): Promise<Finding[]> {
  const folder = join(trial.folder, 'data')
  const { marked, tenants, feedTenants } = await fill(folder, trial)
  const server = await startWatched(folder, marked.organization)
  const description = readDescription()
  const tally = openTally(trial.progress)
  const world: World = {
    tenants,
    operations: keyedOperations(description),
    shapes: rawShapes(marked.key),
    judge: openJudge(compileRules(description)),
    tally,
  }
  const started = performance.now()
  const halfwayMb = await play(world, server, trial)
  const seconds = (performance.now() - started) / 1000
  const endMb = server.residentMb()
  trial.progress('the feed')
  const feed = await fuzzFeed(
    feedTenants,
    rawFeedShapes(hiddenPacket(feedTenants[0]!)),
    server,
    tally,
    trial.seed,
    trial.amount({ minutes: 6_000, hours: 300_000 }),
  )
  const code = server.isGone() ? null : await server.stop()
  return findingsOf(tally, feed, server, { code, seconds, halfwayMb, endMb })
}

type Filled = { marked: Tenant; tenants: Tenant[]; feedTenants: FeedTenant[] }

/** `marked`: an organization for which no request may ever be admitted. */
async function fill(folder: string, trial: Trial): Promise<Filled> {
  const store = await openSqliteStore(folder)
  const many = trial.amount({ minutes: 3_000, hours: 12_000 })
  const tell = (done: number) => trial.progress(`${done} of ${many} organizations`)
  const [marked, ...tenants] = await addTenants(store, many + 1, tell)
  const feedTenants = await addFeedTenants(store)
  await store.close()
  return { marked: marked!, tenants, feedTenants }
}

/**
 * Plays batches from the run's seed on, until there are enough requests or the server has ended. Returns the
 * server's memory in MB after half of them.
 */
async function play(world: World, server: WatchedServer, trial: Trial): Promise<number> {
  const { tally, tenants } = world
  const wanted = trial.amount({ minutes: 100_000, hours: 10_000_000 })
  /** The time at which the window of each tenant is empty again. */
  const emptyAt = new Float64Array(tenants.length)
  let batch = 0
  let reported = 0
  let halfwayMb = 0

  async function playOn(): Promise<void> {
    const line = openLine(server.port)
    while (tally.requests < wanted && !server.isGone()) {
      const seed = (trial.seed + batch++) % SEEDS
      const tenant = tenantOf(world, seed)
      const early = emptyAt[tenant]! - performance.now()
      if (early > 0) await wait(early)
      await playBatch(world, line, seed)
      emptyAt[tenant] = performance.now() + WINDOW.ms + MARGIN_MS
      if (tally.requests >= reported + wanted / 10) {
        reported = tally.requests
        trial.progress(`${reported} requests`)
      }
      if (halfwayMb === 0 && tally.requests >= wanted / 2) halfwayMb = server.residentMb()
    }
    line.close()
  }

  await Promise.all(Array.from({ length: LINES }, playOn))
  return halfwayMb
}

type Ending = { code: number | null; seconds: number; halfwayMb: number; endMb: number }

function findingsOf(
  tally: Tally,
  feed: FeedCount,
  server: WatchedServer,
  { code, seconds, halfwayMb, endMb }: Ending,
): Finding[] {
  const { requests, past, raw, cut, faults } = tally
  const share = past / requests
  const count = (what: string, ...kinds: string[]): Finding => {
    const found = kinds.flatMap((kind) => faults.get(kind) ?? [])
    const times = found.reduce((sum, each) => sum + each.times, 0)
    const finding: Finding = { what, bar: 'none', measured: `${times}`, met: times === 0 }
    return found.length === 0 ? finding : { ...finding, seed: found[0]!.seed }
  }
  const known = (what: string, measured: string): Finding => ({
    what,
    bar: '',
    measured,
    met: true,
  })
  return [
    known('requests', `${requests.toLocaleString('en')}, ${Math.round(requests / seconds)}/s`),
    {
      what: 'of them past key, window and subscription',
      bar: 'at least half',
      measured: `${(share * 100).toFixed(1)} %`,
      met: share >= 0.5,
    },
    known('malformed and ambiguous requests', `${raw.toLocaleString('en')}`),
    known('connections cut in the middle', `${cut.toLocaleString('en')}`),
    count('answers with a 5xx', 'a 5xx'),
    count('what was no HTTP answer', 'no HTTP answer', 'more than was asked for'),
    count('other outcomes than the contract’s', 'another outcome than the contract’s'),
    count('bodies against the description', 'a body against the description'),
    count('headers against the description', 'a header against the description'),
    count('200s of other contents than asked for', 'other contents than were asked for'),
    count('windows of other than 10 requests', 'a window of other than 10 requests'),
    count('connections that hung', 'no end'),
    count('connections closed before their answers', 'closed too early'),
    {
      what: 'hidden requests let in',
      bar: 'none',
      measured: `${server.watchedLines()}`,
      met: server.watchedLines() === 0,
    },
    known('requests to the feed', feed.requests.toLocaleString('en')),
    count('its answers with a 5xx', 'feed: a 5xx'),
    count(
      'its answers of another form than it documents',
      'feed: another answer than it documents',
      'feed: no HTTP answer',
      'feed: more than was asked for',
    ),
    count('its connections that hung or were cut', 'feed: no end', 'feed: closed too early'),
    {
      what: 'of its acknowledged positions, lost or altered',
      bar: 'none',
      measured: `${feed.lost} of ${feed.acknowledged.toLocaleString('en')}`,
      met: feed.lost === 0,
    },
    {
      what: 'positions stored that were not acknowledged, or the other way round',
      bar: 'none',
      measured: `${feed.unexplained}`,
      met: feed.unexplained === 0,
    },
    {
      what: 'crashes, and failures in its log',
      bar: 'none',
      measured: `${code === 0 ? '' : `ended with ${code}; `}${server.failures.length}`,
      met: code === 0 && server.failures.length === 0,
    },
    known('memory after half of it, and after all', `${halfwayMb} MB, ${endMb} MB`),
  ]
}
