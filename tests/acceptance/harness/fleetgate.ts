import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import {
  endOf,
  type FinishedProgram,
  inheritedEnvironment,
  printedBy,
} from '../../../packages/server/testing/command-line/printed.ts'

export const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url))
/** Names the program that the tests of a run start in place of `bin/fleetgate.js`. */
export const PROGRAM_VARIABLE = 'FLEETGATE_TEST_PROGRAM'

export const BIN =
  process.env[PROGRAM_VARIABLE] ??
  fileURLToPath(new URL('../../../packages/server/bin/fleetgate.js', import.meta.url))

/** The type of `JSON.parse`: the suite tests from outside and uses no types of the source. */
export type Json = ReturnType<typeof JSON.parse>

/** Starts the command and kills it at the latest when this process ends. `openFiles`: the limit on open files. */
export function start(
  args: string[],
  env: Record<string, string> = {},
  openFiles?: number,
): ChildProcessWithoutNullStreams {
  const bounded = openFiles && ['sh', '-c', `ulimit -n ${openFiles} && exec "$@"`, 'sh']
  return startProgram([...(bounded || []), process.execPath, BIN, ...args], env)
}

/** Starts another Fleetgate than that of this checkout, or by another program; killed as `start` says. */
export function startProgram(
  [command, ...args]: string[],
  env: Record<string, string> = {},
  cwd?: string,
): ChildProcessWithoutNullStreams {
  const child = spawn(command!, args, { cwd, env: { ...ownEnvironment(), ...env } })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  return child
}

/** Runs the command until it exits, with `input` on its standard input. */
export function fleetgate(args: string[], input = ''): Promise<FinishedProgram> {
  return endedOf(start(args), input)
}

/** Waits for the end of a command, with `input` on its standard input. */
export function endedOf(
  child: ChildProcessWithoutNullStreams,
  input = '',
): Promise<FinishedProgram> {
  child.stdin.on('error', () => {}).end(input)
  return endOf(child)
}

/** Runs the command with `--json`, expects it to succeed, and returns the parsed output. */
export async function fleetgateJson(args: string[], input = ''): Promise<Json> {
  return printedBy(args, await fleetgate([...args, '--json'], input))
}

// Without the variables of the test runner, which make child processes report to it.
function ownEnvironment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(inheritedEnvironment()).filter(
    ([name]) => !/^(FLEETGATE_TEST_|NODE_TEST)/.test(name),
  )
  return { ...Object.fromEntries(inherited), NO_COLOR: '1' }
}
