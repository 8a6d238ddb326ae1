import { globSync } from 'node:fs'
import type { Starts } from './account.ts'
import type { Kind } from './deployment.ts'

/** A test file, which runs in a process of its own. */
export type TestFile = {
  file: string
  deployment: Kind
  /** Whether the tests need a PostgreSQL or a Redis. */
  needsServers: boolean
}

export type Tier = {
  files: TestFile[]
  needsCluster: boolean
  /** How many processes the tests may start. The numbers do not depend on the machine's speed. */
  most: Starts
}

/** The black-box suite, with the server in the process of the tests. */
const SUITE = [
  'tests/acceptance/*.test.ts',
  'tests/acceptance/!(process|console|generators)/**/*.test.ts',
]
/** Tests about a process, each file in one of its own. */
const PROCESSES = 'tests/acceptance/process/!(console)/**/*.test.ts'
const UNITS = [
  'packages/*/{src,testing}/**/*.test.ts',
  '{bench,lint,tests/chaos,tools}/{,!(node_modules)/}*.test.ts',
]
/** The adapters of the ports on servers. */
const ON_SERVERS = ['packages/server/src/{data/postgres,data/live/redis}/**/*.test.ts']
const CONTRACTS = [
  'packages/server/src/data/postgres/open.test.ts',
  'packages/server/src/data/live/redis/redis-realtime.test.ts',
]
/** Tests about a process that start servers for themselves. */
const STARTS_SERVERS = [
  'tests/acceptance/process/{shared-deployment,lifecycle/outage-log}.test.ts',
  'tests/acceptance/process/citus/*.test.ts',
  'tests/acceptance/process/command-line/{archive,attach,copy,copy-levels,distribute}.test.ts',
  'tests/acceptance/process/kills/{copy,pull}.test.ts',
  'tests/acceptance/process/deleted-bytes/*.test.ts',
]
/** Tests about a process that run on both deployments. */
const PROCESSES_ON_BOTH = [
  'tests/acceptance/process/{grants/worlds,kills/change-pages,kills/routing,upgrade/upgrade}.test.ts',
]
/** One real process, started, killed and restarted. */
const ONE_PROCESS = 'tests/acceptance/process/kills/feed.test.ts'
/** Tests whose answers depend on the store or on other processes. */
const SUITE_ON_SERVERS = [
  'tests/acceptance/{isolation,positions}/*.test.ts',
  'tests/acceptance/decisions/{limits,more-rows-than-limit}.test.ts',
  'tests/acceptance/admin/every-operation.test.ts',
  'tests/acceptance/feed/visible.test.ts',
  'tests/acceptance/scopes/change-of-scope.test.ts',
  'tests/acceptance/test-keys/isolation.test.ts',
]
/** On a Cluster the rest runs by `npm run acceptance`. */
const SUITE_ON_CLUSTER = ['tests/acceptance/decisions/limits.test.ts']
/** Tests that need servers of their own. */
const PROCESSES_ON_SERVERS = [
  'tests/acceptance/process/{outages,several-processes}.test.ts',
  'tests/acceptance/process/command-line/seen-at-once.test.ts',
  'tests/acceptance/process/kills/{assignment,webhook-takeover}.test.ts',
  'tests/acceptance/replica/on-servers.test.ts',
]

/** `npm test`. */
export function quickTier(): Tier {
  return {
    files: [
      ...onServers(CONTRACTS),
      ...alone('embedded', [ONE_PROCESS, 'tests/acceptance/console/*.test.ts']),
      ...alone('embedded', SUITE),
      ...alone('embedded', UNITS, ON_SERVERS),
    ],
    needsCluster: false,
    most: { server: 40, chromium: 1, postgres: 1, 'redis-server': 1 },
  }
}

/** `npm run test:more`. */
export function moreTier(): Tier {
  return {
    files: [
      ...alone('postgres-redis', [...PROCESSES_ON_SERVERS, ...PROCESSES_ON_BOTH]),
      ...alone('embedded', ['tests/acceptance/process/console/*.test.ts']),
      ...onServers(STARTS_SERVERS),
      ...alone('embedded', [PROCESSES], [ONE_PROCESS, ...PROCESSES_ON_SERVERS, ...STARTS_SERVERS]),
      ...alone('postgres-redis', SUITE_ON_SERVERS),
      ...alone('postgres-cluster', SUITE_ON_CLUSTER),
      ...onServers(ON_SERVERS, CONTRACTS),
    ],
    needsCluster: true,
    most: {},
  }
}

/** The whole black-box suite on one deployment. */
export function wholeSuite(deployment: Kind): TestFile[] {
  return [
    ...alone(deployment, SUITE),
    ...alone(deployment, ['tests/acceptance/{,process/}console/*.test.ts']),
    ...alone(deployment, [PROCESSES, 'tests/acceptance/generators/*.test.ts']),
  ]
}

/** The named files, each in a process. */
export function alone(deployment: Kind, globs: string[], except: string[] = []): TestFile[] {
  const needsServers = deployment !== 'embedded'
  return filesOf(globs, except).map((file) => ({ file, deployment, needsServers }))
}

/** The same, for tests that start servers for themselves, or ask for those of the run. */
function onServers(globs: string[], except: string[] = []): TestFile[] {
  return alone('embedded', globs, except).map((test) => ({ ...test, needsServers: true }))
}

function filesOf(globs: string[], except: string[]): string[] {
  const left = new Set(globSync(except))
  return globSync(globs)
    .filter((file) => !left.has(file))
    .sort()
}
