import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** The exit and the output of a command. */
export type FinishedProgram = { code: number | null; stdout: string; stderr: string }

/** The output of a successful command with `--json`. Throws if the command failed. */
// biome-ignore lint/suspicious/noExplicitAny: what it holds is what the tests look at
export function printedBy(args: string[], { code, stdout, stderr }: FinishedProgram): any {
  if (code !== 0) throw new Error(`fleetgate ${args.join(' ')} ended with ${code}: ${stderr}`)
  return JSON.parse(stdout)
}

/** Waits for the end of a command whose output nobody else reads. */
export async function endOf(child: ChildProcess): Promise<FinishedProgram> {
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]!.setEncoding('utf8').on('data', (text: string) => {
      said[name] += text
    })
  }
  const [code] = await once(child, 'close')
  return { code, ...said }
}

const SETTING = /^FLEETGATE_(?!TEST_)|^(DATABASE_URL|DATABASE_REPLICA_URL|REDIS_URL)$/

/** Whether a variable affects commands. A developer's own variables must not leak into tests. */
export function isSetting(name: string): boolean {
  return SETTING.test(name)
}

/** PostgreSQL servers of tests do not sync, because their data does not outlive the test. */
export const ON_TEST_SERVERS = { FLEETGATE_ALLOW_DATA_LOSS: '1' }

/** This process's environment without the variables that affect commands. */
export function inheritedEnvironment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !isSetting(name))
  return { ...Object.fromEntries(inherited), ...ON_TEST_SERVERS }
}
