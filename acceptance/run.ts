/**
 * Runs the suite on every available deployment: `node acceptance/run.ts [--quick] [files…]`. `DEPLOYMENT` selects
 * one of them. `--quick` is `npm test`: all tests of the repository, the whole suite on a data folder, and on
 * servers the tests that servers can affect. The files of a run share the fleet and the servers.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { run as runInOrder } from 'node:test'
import { spec } from 'node:test/reporters'
import { KINDS, type Kind } from './harness/deployment.ts'
import { sharingOf } from './harness/own-process.ts'
import { openShared } from './harness/shared.ts'

const SUITE = [
  'acceptance/*.test.ts',
  'acceptance/!(generators)/**/*.test.ts',
  // A separate package.
  'acceptance/generators/*.test.ts',
]
const OTHERS = [
  'packages/*/{src,testing}/**/*.test.ts',
  '{bench,chaos,lint}/{,!(node_modules)/}*.test.ts',
]
/** Tests whose answers depend on the store or on other processes. */
const ON_SERVERS: Record<Exclude<Kind, 'embedded'>, string[]> = {
  'postgres-redis': [
    'acceptance/{isolation,positions}/*.test.ts',
    'acceptance/decisions/{limits,more-rows-than-limit,rate-window-bursts}.test.ts',
    'acceptance/command-line/seen-at-once.test.ts',
    'acceptance/admin/{several-processes,every-operation}.test.ts',
    'acceptance/feed/visible.test.ts',
    'acceptance/database/*.test.ts',
    'acceptance/scopes/change-of-scope.test.ts',
    'acceptance/test-keys/isolation.test.ts',
    'acceptance/replica/on-servers.test.ts',
    'acceptance/webhooks/takeover.test.ts',
    'acceptance/outages.test.ts',
  ],
  // The other tests find a Cluster behind the same port; they run on it by `npm run acceptance`.
  'postgres-cluster': ['acceptance/decisions/limits.test.ts'],
  // The small form is packages/server/src/store/postgres/distribution/distribution.test.ts.
  'citus-redis': [],
}
/** The tests of the PostgreSQL store that hold on a Citus too. */
const OF_CITUS = [
  'packages/server/src/store/postgres/{open,migrate}.test.ts',
  'packages/server/src/store/postgres/{change-log,positions,retention,records}/*.test.ts',
]
/** Started first, so that they do not run alone at the end. */
const LONGEST =
  /admin\/sign-in|changes\/list-410|client\/(package|window)|held-memory|installs\/|kills|copy|lifecycle\/demo|rate-window-bursts|feed-replay|outages|real-fleet|shared-deployment|redis\/|store\/(sqlite|postgres)\/open|simulation/
/** Parallel files on each deployment: together enough to keep two processors busy. */
const CONCURRENCY: Record<Kind, number> = {
  embedded: 3,
  'postgres-redis': 1,
  'postgres-cluster': 1,
  'citus-redis': 2,
}
/** A failed test may leave a server open, which would keep its process, and so the run, from ending. */
const FORCE_EXIT = '--test-force-exit'
/** Takes long, so it runs only by its name. */
const ASKED_FOR: readonly Kind[] = ['citus-redis']

const args = process.argv.slice(2)
const isQuick = args.includes('--quick')
const files = args.filter((arg) => arg !== '--quick')
const wanted = process.env.DEPLOYMENT
const kinds = KINDS.filter((kind) =>
  wanted === undefined ? !ASKED_FOR.includes(kind) : kind === wanted,
)

const shared = await openShared({ isBundled: isQuick })
/** True once a run reports as it runs. */
let isReporting = false
let failed = 0
try {
  for (const code of await Promise.all(kinds.map(run))) failed += code
} finally {
  await shared.close()
}
process.exitCode = failed === 0 ? 0 : 1

function filesOf(kind: Kind): string[] {
  if (files.length > 0) return files
  const suite = kind === 'citus-redis' ? [...SUITE, ...OF_CITUS] : SUITE
  const globs = !isQuick ? suite : kind === 'embedded' ? [...SUITE, ...OTHERS] : ON_SERVERS[kind]
  const found = globs.flatMap((glob) => globSync(glob)).sort()
  return [
    ...found.filter((file) => LONGEST.test(file)),
    ...found.filter((file) => !LONGEST.test(file)),
  ]
}

/**
 * Returns the number of failed runs of the deployment. On a data folder the groups run one after the other, the
 * browser's first, as the longest, beside the files that have their own process. On servers the
 * groups run before these: tests of outages and of several processes measure how long something takes.
 */
async function run(kind: Kind): Promise<number> {
  const env = { ...process.env, ...(await shared.variables(kind)), DEPLOYMENT: kind }
  const {
    alone = [],
    'in one browser': browser = [],
    ...others
  } = Object.groupBy(filesOf(kind), sharingOf)
  const runAlone = () => reported(kind, alone, () => inProcesses(alone, CONCURRENCY[kind], env))
  const runTogether = (sharing: string, each: string[]) => () =>
    reported(`${kind}, ${sharing}, in one process`, each, () => inOneProcess(each, env))
  const inBrowser = runTogether('in one browser', browser)
  const groups = Object.entries(others).map(([sharing, each]) => runTogether(sharing, each))
  const lanes =
    kind === 'embedded' ? [[runAlone], [inBrowser, ...groups]] : [[inBrowser, ...groups, runAlone]]
  const codes = await Promise.all(lanes.map(inTurn))
  return codes.reduce((all, each) => all + each, 0)
}

/** Returns the sum of the results. */
async function inTurn(runs: readonly (() => Promise<number>)[]): Promise<number> {
  let sum = 0
  for (const each of runs) sum += await each()
  return sum
}

/** Tests that run: their report, and whether all passed once it has ended. */
type Run = { report: Readable; passed: Promise<boolean> }

/** Returns 1 after a failed test. The first run of all reports as it runs, each other one at its end. */
async function reported(name: string, tests: string[], start: () => Run): Promise<number> {
  if (tests.length === 0) return 0
  const isFirst = !isReporting
  isReporting = true
  const { report, passed } = start()
  if (isFirst) report.pipe(process.stdout, { end: false })
  const [output, hasPassed] = await Promise.all([
    isFirst ? once(report, 'end') : text(report),
    passed,
  ])
  process.stdout.write(
    `\n# ${name}, ${tests.length} files: ${hasPassed ? 'passed' : 'FAILED'}\n\n${isFirst ? '' : output}`,
  )
  return hasPassed ? 0 : 1
}

/** Runs each file in a process, in the given order. `node --test` would sort them by name. */
function inProcesses(files: string[], concurrency: number, env: NodeJS.ProcessEnv): Run {
  const events = runInOrder({ files, concurrency, env, forceExit: true })
  const { promise: passed, resolve } = Promise.withResolvers<boolean>()
  events.on('test:summary', ({ file, success }) => {
    // There is a summary of each file too.
    if (file === undefined) resolve(success)
  })
  return { report: events.compose(new spec()), passed }
}

function inOneProcess(files: string[], env: NodeJS.ProcessEnv): Run {
  const args = ['--test', '--test-reporter=spec', '--test-isolation=none', FORCE_EXIT, ...files]
  const child = spawn(process.execPath, args, { env, stdio: ['inherit', 'pipe', 'inherit'] })
  return { report: child.stdout, passed: once(child, 'exit').then(([code]) => code === 0) }
}
