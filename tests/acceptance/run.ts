/**
 * Runs tests: `node tests/acceptance/run.ts [--tier quick|more] [files…]`. Without a tier it
 * runs the whole black-box suite on each deployment; `DEPLOYMENT` selects one. The files share the servers and the
 * fleet.
 */
import { parseArgs } from 'node:util'
import { withoutServers } from '../../packages/server/testing/servers/installed.ts'
import { addAccounts, beyond, countStarts, formatAccount, secondsUsed } from './harness/account.ts'
import { KINDS, type Kind } from './harness/deployment.ts'
import { type Result, runFiles } from './harness/run-files.ts'
import { openShared, type Shared } from './harness/shared.ts'
import {
  alone,
  moreTier,
  quickTier,
  type TestFile,
  type Tier,
  wholeSuite,
} from './harness/tiers.ts'

/** Takes long, so it runs only by its name. */
const ASKED_FOR: readonly Kind[] = ['citus-redis']

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { tier: { type: 'string' } },
})
const starts = countStarts()
const tier = tierOf()
const shared = await openShared({
  isBundled: values.tier !== undefined,
  hasCluster: tier.needsCluster,
})
try {
  process.exitCode = (await runTier(tier, shared)) ? 0 : 1
} finally {
  await shared.close()
}

function tierOf(): Tier {
  if (values.tier === 'quick') return quickTier()
  if (values.tier === 'more') return moreTier()
  const wanted = process.env.DEPLOYMENT
  const kinds = KINDS.filter((kind) =>
    wanted === undefined ? !ASKED_FOR.includes(kind) : kind === wanted,
  )
  const files = kinds.flatMap((kind) =>
    positionals.length > 0 ? alone(kind, positionals) : wholeSuite(kind),
  )
  return { files, needsCluster: kinds.includes('postgres-cluster'), most: {} }
}

/** The files that can run here. The others are counted as skipped. */
function runnable(files: TestFile[]): TestFile[] {
  return withoutServers ? files.filter(({ needsServers }) => !needsServers) : files
}

/** Returns whether all tests passed, within the numbers of processes of the tier. */
async function runTier({ files, most }: Tier, shared: Shared): Promise<boolean> {
  const startedAt = performance.now()
  const able = runnable(files)
  const results = await runFiles(able, shared, { ended: printResult })
  const accounts = results.flatMap(({ account }) => account ?? [])
  const left = files.length - able.length
  const leftOut = left > 0 ? { [`whole files: ${withoutServers}`]: left } : {}
  const own = { seconds: {}, skipped: leftOut, tests: { passed: 0, failed: 0, skipped: 0 } }
  const all = addAccounts([...accounts, { ...own, failures: [], starts: starts(), total: 0 }])
  const excess = beyond(all.starts, most)
  const failed = results.filter(({ hasPassed }) => !hasPassed).map(({ test }) => test.file)
  const wallSeconds = (performance.now() - startedAt) / 1_000
  process.stdout.write(`\n${formatAccount({ ...all, total: secondsUsed() }, wallSeconds)}`)
  for (const each of [...excess, ...failed, ...all.failures])
    process.stdout.write(`FAILED: ${each}\n`)
  const { passed, failed: failures, skipped } = all.tests
  process.stdout.write(`${passed} passed, ${failures} failed, ${skipped} skipped\n`)
  return failed.length === 0 && excess.length === 0
}

/** All files run, whether one failed or not. */
function printResult({ test, hasPassed, report }: Result): boolean {
  const verdict = hasPassed ? 'passed' : 'FAILED'
  process.stdout.write(`\n# ${test.file}, ${test.deployment}: ${verdict}\n\n${report}`)
  return true
}
