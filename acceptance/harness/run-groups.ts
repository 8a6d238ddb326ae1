/** Runs groups of test files, each group in one process. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Account } from './account.ts'
import type { Shared } from './shared.ts'
import type { Group } from './tiers.ts'

/** Enough to keep two processors busy: many tests wait for something. */
const AT_ONCE = 4
/** A failed test may leave a server open, which would keep its process, and so the run, from ending. */
const FORCE_EXIT = '--test-force-exit'
const IN_ONE_PROCESS = ['--test', '--test-isolation=none']
const REPORTER = new URL('./account-reporter.ts', import.meta.url).href

/** `account` is null if the process ended before it could report. */
export type Result = { group: Group; hasPassed: boolean; account: Account | null; report: string }

export type Run = {
  /** Called when a group has ended. If it returns false, no further group starts. */
  ended(result: Result): boolean
  /** Where V8 writes what each group executed, in a folder for each. */
  coverage?: string | undefined
  /** Ends a group that takes longer, as a failed one. */
  timeout?: number
}

export async function runGroups(groups: Group[], shared: Shared, run: Run): Promise<Result[]> {
  const folder = mkdtempSync(join(tmpdir(), 'fleetgate-accounts-'))
  const waiting = [...groups]
  const results: Result[] = []

  async function runNext(): Promise<void> {
    for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) {
      const variables = await shared.variables(group.deployment)
      const result = await runGroup(group, variables, folder, run)
      results.push(result)
      if (!run.ended(result)) waiting.length = 0
    }
  }

  try {
    await Promise.all(Array.from({ length: AT_ONCE }, runNext))
  } finally {
    rmSync(folder, { recursive: true })
  }
  return results
}

async function runGroup(
  group: Group,
  variables: Record<string, string>,
  folder: string,
  { coverage, timeout }: Run,
): Promise<Result> {
  const { deployment, files } = group
  const name = nameOf(group)
  const place = join(folder, `${name}.json`)
  const reporters = [
    ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
    ...[`--test-reporter=${REPORTER}`, `--test-reporter-destination=${place}`],
  ]
  // A single file runs as a program, because the processes that it forks inherit these arguments.
  const together = files.length > 1 ? IN_ONE_PROCESS : []
  const env: NodeJS.ProcessEnv = { ...process.env, ...variables, DEPLOYMENT: deployment }
  if (coverage !== undefined) env.NODE_V8_COVERAGE = join(coverage, name)
  const child = spawn(process.execPath, [...together, FORCE_EXIT, ...reporters, ...files], {
    env,
    timeout,
    stdio: ['inherit', 'pipe', 'inherit'],
  })
  const [report, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  return { group, hasPassed: code === 0, account: readAccount(place), report }
}

/** The name of a group as a folder or a file. */
export function nameOf({ name, deployment }: Group): string {
  return `${name.replaceAll(/\W/g, '-')} ${deployment}`
}

function readAccount(file: string): Account | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}
