import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { inFolder } from '../../acceptance/harness/deployment.ts'
import { makeFleet, TEMPLATE_VARIABLE, WHOLE_SIZE } from '../../acceptance/harness/make-fleet.ts'
import type { TestName } from './items.ts'
import type { Outcome } from './reporter.ts'

const REPOSITORY = join(import.meta.dirname, '../../..')
const REPORTER = join(import.meta.dirname, 'reporter.ts')

/**
 * Runs the named tests on a data folder, with one fleet in `folder` for all their files. Returns the results of
 * the tests and of their groups.
 */
export async function runTests(tests: readonly TestName[], folder: string): Promise<Outcome[]> {
  const records = await makeFleet(inFolder(join(folder, 'data')), WHOLE_SIZE)
  const template = join(folder, 'fleet.json')
  writeFileSync(template, JSON.stringify({ records }))
  const files = [...new Set(tests.map(({ file }) => file))]
  const patterns = [...new Set(tests.map(({ name }) => `--test-name-pattern=${literal(name)}`))]
  const options = ['--test', `--test-reporter=${REPORTER}`, '--test-concurrency=2', ...patterns]
  const child = spawn(process.execPath, [...options, ...files], {
    cwd: REPOSITORY,
    env: { ...ownEnvironment(), DEPLOYMENT: 'embedded', [TEMPLATE_VARIABLE]: template },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = (await text(child.stdout)).split('\n').filter((line) => line !== '')
  return lines.map((line) => JSON.parse(line))
}

/** A pattern that matches exactly this name. */
function literal(name: string): string {
  return name.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

// Inside a test, Node.js would treat these tests as subtests.
function ownEnvironment(): NodeJS.ProcessEnv {
  const { NODE_TEST_CONTEXT: _, ...rest } = process.env
  return rest
}
