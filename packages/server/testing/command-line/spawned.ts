import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { endOf, type FinishedProgram, inheritedEnvironment, printedBy } from './printed.ts'
import { jsonHere } from './run-here.ts'

/** The program from the source, or the bundle that the tests of a run share: it starts in half of the time. */
const BIN =
  process.env.FLEETGATE_TEST_PROGRAM ?? join(import.meta.dirname, '../../bin/fleetgate.js')

/** Starts the command line like a user, with only the given variables of Fleetgate. */
export function start(args: string[], environment: NodeJS.ProcessEnv = {}) {
  return spawn(process.execPath, [BIN, ...args], {
    env: { ...inheritedEnvironment(), ...environment },
  })
}

/** The end of a command without input. */
export function fleetgate(
  args: string[],
  environment?: NodeJS.ProcessEnv,
): Promise<FinishedProgram> {
  const child = start(args, environment)
  child.stdin.end()
  return endOf(child)
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
