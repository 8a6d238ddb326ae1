import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { runHere } from './run-here.ts'

export const BIN = join(import.meta.dirname, '../../bin/fleetgate.js')

export type Ended = { code: number | null; stdout: string; stderr: string }

/** What decides where a command finds its data, besides FLEETGATE_ variables. */
const LOCATIONS = ['DATABASE_URL', 'DATABASE_REPLICA_URL', 'REDIS_URL']

/** Runs the command line as a user would, with no other variables of Fleetgate's than those given. */
export function fleetgate(args: string[], environment: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('FLEETGATE_') && !LOCATIONS.includes(name),
  )
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [BIN, ...args], {
      env: { ...Object.fromEntries(inherited), ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
}

/** The one JSON value of a command that is expected to be done, in a process of its own only where it has an environment. */
// biome-ignore lint/suspicious/noExplicitAny: what it holds is what the tests look at
export async function json(args: string[], environment?: NodeJS.ProcessEnv): Promise<any> {
  const all = [...args, '--json']
  const { code, stdout, stderr } = await (environment === undefined
    ? runHere(all)
    : fleetgate(all, environment))
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`)
  return JSON.parse(stdout)
}

/** A folder that goes when the test does. */
export async function temporaryFolder(t: Pick<TestContext, 'after'>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fleetgate-cli-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}
