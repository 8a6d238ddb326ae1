import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { inheritedEnvironment } from '../inherited.ts'
import { jsonHere } from '../run-here.ts'
import { type FinishedProgram, printedBy } from '../terminal/printed.ts'

/** The program from the source, or the bundle that the tests of a run share: it starts in half of the time. */
export const BIN =
  process.env.FLEETGATE_TEST_PROGRAM ?? join(import.meta.dirname, '../../../bin/fleetgate.js')

/**
 * Runs the command line like a user, with only the given variables of Fleetgate. It gets SIGTERM after
 * `timeout` milliseconds.
 */
export function fleetgate(
  args: string[],
  environment: NodeJS.ProcessEnv = {},
  timeout?: number,
): Promise<FinishedProgram> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [BIN, ...args], {
      env: { ...inheritedEnvironment(), ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(timeout === undefined ? {} : { timeout }),
    })
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
}

/** The output of a command that must succeed. It runs in its own process if it has an environment. */
// biome-ignore lint/suspicious/noExplicitAny: what it holds is what the tests look at
export async function json(args: string[], environment?: NodeJS.ProcessEnv): Promise<any> {
  if (environment === undefined) return jsonHere(args)
  return printedBy(args, await fleetgate([...args, '--json'], environment))
}

/** A folder that is removed after the test. */
export async function temporaryFolder(t: Pick<TestContext, 'after'>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fleetgate-cli-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}
