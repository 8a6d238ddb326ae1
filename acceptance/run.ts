/**
 * Runs the suite on every deployment that there is: `node acceptance/run.ts [--quick] [files…]`. With
 * `DEPLOYMENT` set, on that one alone. `--quick` is `npm test`: all tests of the repository, the suite
 * whole on a data folder, and on servers what servers can make a difference to. What the files of a run
 * share (the fleet, the servers) is made once.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { KINDS, type Kind } from './harness/deployment.ts'
import { openShared } from './harness/shared.ts'

const SUITE = [
  'acceptance/*.test.ts',
  'acceptance/!(generators)/**/*.test.ts',
  // A package of its own.
  'acceptance/generators/*.test.ts',
]
const OTHERS = ['packages/*/src/**/*.test.ts', '{bench,chaos}/{,!(node_modules)/}*.test.ts']
/** Where what is stored, shared or told between processes decides what is answered. */
const ON_SERVERS: Record<Exclude<Kind, 'embedded'>, string[]> = {
  'postgres-redis': [
    'acceptance/{isolation,positions}/*.test.ts',
    'acceptance/decisions/{limits,more-rows-than-limit,rate-window-bursts}.test.ts',
    'acceptance/command-line/seen-at-once.test.ts',
    'acceptance/admin/{several-processes,every-operation}.test.ts',
    'acceptance/feed/visible.test.ts',
    'acceptance/database/*.test.ts',
    'acceptance/outages.test.ts',
  ],
  'postgres-cluster': [
    'acceptance/positions/*.test.ts',
    'acceptance/decisions/limits.test.ts',
    'acceptance/outages.test.ts',
  ],
}
/** Begun first, so that nobody has to wait for them alone at the end. */
const LONGEST =
  /lifecycle\/demo|rate-window-bursts|feed-replay|outages|shared-deployment|copy|kills|real-fleet|redis\/|contract/
/** Files at once on each deployment: together as many as keep two processors busy. */
const CONCURRENCY: Record<Kind, number> = {
  embedded: 5,
  'postgres-redis': 1,
  'postgres-cluster': 1,
}

const args = process.argv.slice(2)
const isQuick = args.includes('--quick')
const files = args.filter((arg) => arg !== '--quick')
const wanted = process.env.DEPLOYMENT
const kinds = wanted === undefined ? KINDS : KINDS.filter((kind) => kind === wanted)

const shared = await openShared()
let failed = 0
try {
  for (const code of await Promise.all(kinds.map(run))) failed += code
} finally {
  await shared.close()
}
process.exitCode = failed === 0 ? 0 : 1

function filesOf(kind: Kind): string[] {
  if (files.length > 0) return files
  const globs = !isQuick ? SUITE : kind === 'embedded' ? [...SUITE, ...OTHERS] : ON_SERVERS[kind]
  const found = globs.flatMap((glob) => globSync(glob)).sort()
  return [
    ...found.filter((file) => LONGEST.test(file)),
    ...found.filter((file) => !LONGEST.test(file)),
  ]
}

/** 1 where a test has failed. The deployments run beside each other: the first is told of as it goes, each other when it is through. */
async function run(kind: Kind): Promise<number> {
  const tests = filesOf(kind)
  const options = ['--test', '--test-reporter=spec', `--test-concurrency=${CONCURRENCY[kind]}`]
  const env = { ...process.env, ...(await shared.variables(kind)), DEPLOYMENT: kind }
  const isFirst = kind === kinds[0]
  const child = spawn(process.execPath, [...options, ...tests], {
    env,
    stdio: ['inherit', isFirst ? 'inherit' : 'pipe', 'inherit'],
  })
  const [told, [code]] = await Promise.all([
    isFirst ? '' : text(child.stdout!),
    once(child, 'exit'),
  ])
  process.stdout.write(
    `\n# ${kind}, ${tests.length} files: ${code === 0 ? 'passed' : 'FAILED'}\n\n${told}`,
  )
  return code === 0 ? 0 : 1
}
