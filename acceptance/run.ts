/**
 * Runs tests in groups, each in one process: `node acceptance/run.ts [--tier quick|more] [files…]`. Without a tier it
 * runs the whole black-box suite on each deployment; `DEPLOYMENT` selects one. The groups share the servers and the
 * fleet.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import {
  type Account,
  addAccounts,
  beyond,
  countStarts,
  formatAccount,
  secondsUsed,
} from './harness/account.ts'
import { KINDS, type Kind } from './harness/deployment.ts'
import { openShared, type Shared } from './harness/shared.ts'
import { alone, type Group, moreTier, quickTier, type Tier, wholeSuite } from './harness/tiers.ts'

/** Enough to keep two processors busy: many tests wait for something. */
const AT_ONCE = 4
/** Takes long, so it runs only by its name. */
const ASKED_FOR: readonly Kind[] = ['citus-redis']
/** A failed test may leave a server open, which would keep its process, and so the run, from ending. */
const FORCE_EXIT = '--test-force-exit'
const IN_ONE_PROCESS = ['--test', '--test-isolation=none']
const REPORTER = new URL('./harness/account-reporter.ts', import.meta.url).href

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
const folder = mkdtempSync(join(tmpdir(), 'fleetgate-accounts-'))
try {
  process.exitCode = (await runTier(tier, shared)) ? 0 : 1
} finally {
  await shared.close()
  rmSync(folder, { recursive: true })
}

function tierOf(): Tier {
  if (values.tier === 'quick') return quickTier()
  if (values.tier === 'more') return moreTier()
  const wanted = process.env.DEPLOYMENT
  const kinds = KINDS.filter((kind) =>
    wanted === undefined ? !ASKED_FOR.includes(kind) : kind === wanted,
  )
  const groups = kinds.flatMap((kind) =>
    positionals.length > 0 ? alone(kind, positionals) : wholeSuite(kind),
  )
  return { groups, needsCluster: kinds.includes('postgres-cluster'), most: {} }
}

/** Returns whether all tests passed, within the numbers of processes of the tier. */
async function runTier({ groups, most }: Tier, shared: Shared): Promise<boolean> {
  const startedAt = performance.now()
  const waiting = [...groups]
  const accounts: Account[] = []
  const failed: string[] = []

  async function runNext(): Promise<void> {
    for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) {
      const env = { ...process.env, ...(await shared.variables(group.deployment)) }
      const result = await runGroup(group, { ...env, DEPLOYMENT: group.deployment })
      if (result.account !== null) accounts.push(result.account)
      if (!result.hasPassed) failed.push(group.name)
    }
  }

  await Promise.all(Array.from({ length: AT_ONCE }, runNext))
  const own = { seconds: {}, skipped: {}, tests: { passed: 0, failed: 0, skipped: 0 } }
  const all = addAccounts([...accounts, { ...own, starts: starts(), total: 0 }])
  const excess = beyond(all.starts, most)
  const wallSeconds = (performance.now() - startedAt) / 1_000
  process.stdout.write(`\n${formatAccount({ ...all, total: secondsUsed() }, wallSeconds)}`)
  for (const each of excess) process.stdout.write(`FAILED: ${each}\n`)
  for (const each of failed) process.stdout.write(`FAILED: ${each}\n`)
  const { passed, failed: failures, skipped } = all.tests
  process.stdout.write(`${passed} passed, ${failures} failed, ${skipped} skipped\n`)
  return failed.length === 0 && excess.length === 0
}

type Result = { hasPassed: boolean; account: Account | null }

/** Prints the report of a group when it has ended. */
async function runGroup({ name, files }: Group, env: NodeJS.ProcessEnv): Promise<Result> {
  const place = join(folder, `${name.replaceAll(/\W/g, '-')} ${env.DEPLOYMENT}.json`)
  const reporters = [
    ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
    ...[`--test-reporter=${REPORTER}`, `--test-reporter-destination=${place}`],
  ]
  // A single file runs as a program, because the processes that it forks inherit these arguments.
  const together = files.length > 1 ? IN_ONE_PROCESS : []
  const args = [...together, FORCE_EXIT, ...reporters, ...files]
  const child = spawn(process.execPath, args, { env, stdio: ['inherit', 'pipe', 'inherit'] })
  const [report, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  const hasPassed = code === 0
  const verdict = hasPassed ? 'passed' : 'FAILED'
  process.stdout.write(
    `\n# ${name}, ${env.DEPLOYMENT}, ${files.length} files: ${verdict}\n\n${report}`,
  )
  return { hasPassed, account: readAccount(place) }
}

/** Null if the process ended before it could report. */
function readAccount(file: string): Account | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}
