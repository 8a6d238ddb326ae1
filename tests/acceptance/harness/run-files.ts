/** Runs test files, each in a process of its own. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Account } from './account.ts'
import type { Shared } from './shared.ts'
import type { TestFile } from './tiers.ts'

/** Enough to keep two processors busy: many tests wait for something. */
const AT_ONCE = 4
/** A failed test may leave a server open, which would keep its process, and so the run, from ending. */
const FORCE_EXIT = '--test-force-exit'
const REPORTER = new URL('./account-reporter.ts', import.meta.url).href

/** `account` is null if the process ended before it could report. */
export type Result = { test: TestFile; hasPassed: boolean; account: Account | null; report: string }

export type Run = {
  /** Called when a file has ended. If it returns false, no further file starts. */
  ended(result: Result): boolean
  /** Where V8 writes what each file executed, in a folder for each. */
  coverage?: string | undefined
  /** Ends a file that takes longer, as a failed one. */
  timeout?: number
}

export async function runFiles(
  files: readonly TestFile[],
  shared: Shared,
  run: Run,
): Promise<Result[]> {
  const folder = mkdtempSync(join(tmpdir(), 'fleetgate-accounts-'))
  const waiting = [...files]
  const results: Result[] = []

  async function runNext(): Promise<void> {
    for (let test = waiting.shift(); test !== undefined; test = waiting.shift()) {
      const variables = await shared.variables(test.deployment)
      const result = await runFile(test, variables, folder, run)
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

async function runFile(
  test: TestFile,
  variables: Record<string, string>,
  folder: string,
  { coverage, timeout }: Run,
): Promise<Result> {
  const name = nameOf(test)
  const place = join(folder, `${name}.json`)
  const reporters = [
    ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
    ...[`--test-reporter=${REPORTER}`, `--test-reporter-destination=${place}`],
  ]
  const env: NodeJS.ProcessEnv = { ...process.env, ...variables, DEPLOYMENT: test.deployment }
  if (coverage !== undefined) env.NODE_V8_COVERAGE = join(coverage, name)
  // It runs as a program, without `--test`, because the processes that it forks inherit these arguments.
  const child = spawn(process.execPath, [FORCE_EXIT, ...reporters, test.file], {
    env,
    timeout,
    stdio: ['inherit', 'pipe', 'inherit'],
  })
  const [report, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  return { test, hasPassed: code === 0, account: readAccount(place), report }
}

/** The name of a file's folder of coverage, and of its account. */
export function nameOf({ file, deployment }: TestFile): string {
  return `${file.replaceAll(/\W/g, '-')} ${deployment}`
}

function readAccount(file: string): Account | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}
