/**
 * Runs tests against every deployment that there is: `node acceptance/run.ts [--all] [files…]`. With
 * `DEPLOYMENT` set, against that one alone. `--all`: the rest of the tests too, once. What they share
 * (the fleet, the servers) is made once.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { KINDS, type Kind } from './harness/deployment.ts'
import { openShared } from './harness/shared.ts'

const ACCEPTANCE = 'acceptance/**/*.test.ts'
const OTHERS = ['packages/*/src/**/*.test.ts', 'bench/*.test.ts']
/** Two keep two cores busy while a third waits. */
const CONCURRENCY = 3

const args = process.argv.slice(2)
const isAll = args.includes('--all')
const files = args.filter((arg) => arg !== '--all')
const wanted = process.env.DEPLOYMENT
const kinds = wanted === undefined ? KINDS : KINDS.filter((kind) => kind === wanted)

const shared = await openShared()
let failed = 0
try {
  for (const kind of kinds) {
    const isFirst = kind === kinds[0]
    const mine = files.length > 0 ? files : globSync(ACCEPTANCE)
    failed += await run(kind, [
      ...mine,
      ...(isAll && isFirst ? OTHERS.flatMap((glob) => globSync(glob)) : []),
    ])
  }
} finally {
  await shared.close()
}
process.exitCode = failed === 0 ? 0 : 1

/** 1 where a test has failed. */
async function run(kind: Kind, tests: string[]): Promise<number> {
  process.stdout.write(`\n# ${kind}: ${tests.length} files\n\n`)
  const options = ['--test', '--test-reporter=spec', `--test-concurrency=${CONCURRENCY}`]
  const env = { ...process.env, ...(await shared.variables(kind)), DEPLOYMENT: kind }
  const child = spawn(process.execPath, [...options, ...tests], { env, stdio: 'inherit' })
  const [code] = await once(child, 'exit')
  return code === 0 ? 0 : 1
}
