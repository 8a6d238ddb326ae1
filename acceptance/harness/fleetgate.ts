import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { inheritedEnvironment } from '../../packages/server/src/cli/inherited.ts'
import { type Ended, printedBy } from '../../packages/server/src/cli/printed.ts'

export const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url))
export const BIN = fileURLToPath(new URL('../../packages/server/bin/fleetgate.js', import.meta.url))

/** Whatever `JSON.parse` gives: the suite looks at it from outside and has no types of the source. */
export type Json = ReturnType<typeof JSON.parse>

/**
 * Starts the command; it is killed at the latest when this process ends. `openFiles`: how many files the
 * system lets it open.
 */
export function start(
  args: string[],
  env: Record<string, string> = {},
  openFiles?: number,
): ChildProcessWithoutNullStreams {
  const bounded = openFiles && ['sh', '-c', `ulimit -n ${openFiles} && exec "$@"`, 'sh']
  const [command, ...rest] = [...(bounded || []), process.execPath, BIN, ...args]
  const child = spawn(command!, rest, { env: { ...ownEnvironment(), ...env } })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  return child
}

/** Runs the command to its end, with `input` on its standard input. */
export function fleetgate(args: string[], input = ''): Promise<Ended> {
  const child = start(args)
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text
  })
  child.stdin.on('error', () => {}).end(input)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, stdout, stderr }))
  })
}

/** Runs the command with `--json`, expects it to succeed, and returns what it printed. */
export async function fleetgateJson(args: string[], input = ''): Promise<Json> {
  return printedBy(args, await fleetgate([...args, '--json'], input))
}

// The test runner's own would have what it starts report to it.
function ownEnvironment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(inheritedEnvironment()).filter(
    ([name]) => !/^(FLEETGATE_TEST_|NODE_TEST)/.test(name),
  )
  return { ...Object.fromEntries(inherited), NO_COLOR: '1' }
}
