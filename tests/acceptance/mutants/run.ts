/**
 * Puts faults into a copy of the checkout, one at a time, and runs the tests that execute the changed place until one
 * notices: `npm run mutants [-- --count 30 --seed COMMIT --coverage FOLDER]`. Writes a line for each fault, and ends with 1 if fewer than
 * nine of ten are noticed.
 */
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { nameOf, type Result, runFiles } from '../harness/run-files.ts'
import { openShared, type Shared } from '../harness/shared.ts'
import { moreTier, quickTier, type TestFile } from '../harness/tiers.ts'
import { type Chosen, chooseFaults } from './choose-faults.ts'
import { eachScript, hasRun } from './executed.ts'
import { withFault } from './faults.ts'

const SERVER = 'packages/server/src'
/** The part of the faults that the tests have to notice. */
const ENOUGH = 0.9
/** A fault may make a loop endless. No file takes as long on two processors. */
const TIMEOUT_MS = 240_000

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '30' },
    seed: { type: 'string', default: git('rev-parse', 'HEAD').trim() },
    // Kept there, and read instead of running all tests if an earlier run of the same commit wrote it.
    coverage: { type: 'string' },
  },
})
const copy = mkdtempSync(join(tmpdir(), 'fleetgate-mutants-'))
const coverage = resolve(values.coverage ?? join(copy, 'coverage'))
const checkout = join(copy, 'checkout')
copyCheckout()
process.chdir(checkout)
const files = [...quickTier().files, ...moreTier().files]
const shared = await openShared({ isBundled: false, hasCluster: true })
try {
  if (!existsSync(coverage)) await execute(files, shared)
  process.exitCode = (await tryFaults(files, shared)) ? 0 : 1
} finally {
  await shared.close()
  rmSync(copy, { recursive: true })
}

function git(...args: string[]): string {
  return execFileSync('git', args, { encoding: 'utf8' })
}

/** The committed files as a repository, because tests list its files, with links to the installed packages. */
function copyCheckout(): void {
  mkdirSync(checkout)
  execFileSync('sh', ['-c', 'git archive HEAD | tar --extract --directory "$0"', checkout])
  git('init', '--quiet', checkout)
  git('-C', checkout, 'add', '--all')
  const installed = globSync(['node_modules', 'packages/*/{node_modules,dist}'])
  for (const each of installed) {
    execFileSync('cp', ['--archive', '--link', each, dirname(join(checkout, each))])
  }
}

async function execute(files: TestFile[], shared: Shared): Promise<void> {
  process.stdout.write('Runs all tests, to see what they execute.\n')
  const results = await runFiles(files, shared, { coverage, ended: () => true })
  const failed = results.filter(({ hasPassed }) => !hasPassed).map(({ test }) => test.file)
  if (failed.length > 0) throw new Error(`these fail without a fault: ${failed.join(', ')}`)
}

/** Returns whether enough of the faults were noticed. */
async function tryFaults(files: TestFile[], shared: Shared): Promise<boolean> {
  const faults = chooseFaults(readSources(), Number(values.count), values.seed)
  const concerned = filesOf(faults, files)
  let noticed = 0
  for (const [index, fault] of faults.entries()) {
    const by = await noticedBy(fault, concerned[index]!, shared)
    if (by !== null) noticed += 1
    process.stdout.write(
      `${describe(fault)}: ${by ?? `SURVIVED ${concerned[index]!.length} files`}\n`,
    )
  }
  process.stdout.write(
    `${noticed} of ${faults.length} faults were noticed (seed ${values.seed}).\n`,
  )
  return noticed >= ENOUGH * faults.length
}

function readSources() {
  return globSync('**/*.ts', { cwd: SERVER })
    .filter((path) => !path.endsWith('.test.ts'))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(SERVER, path), 'utf8') }))
}

/** For each fault, the files that execute its place: those next to it first, then those that load least. */
function filesOf(faults: Chosen[], files: TestFile[]): TestFile[][] {
  const byName = new Map(files.map((file) => [nameOf(file), file]))
  const loaded = new Map<string, number>()
  const executing = faults.map(() => new Set<string>())
  eachScript(coverage, (name, path, functions) => {
    loaded.set(name, (loaded.get(name) ?? 0) + 1)
    for (const [index, { source, start }] of faults.entries()) {
      if (path === source.path && hasRun(functions, start)) executing[index]!.add(name)
    }
  })
  return faults.map(({ source }, index) => {
    const folder = dirname(join(SERVER, source.path))
    const rank = ({ file }: TestFile) => (dirname(file) === folder ? 0 : 1)
    return [...executing[index]!]
      .toSorted((a, b) => loaded.get(a)! - loaded.get(b)!)
      .flatMap((name) => byName.get(name) ?? [])
      .toSorted((a, b) => rank(a) - rank(b))
  })
}

/** The first test that fails with the fault, or null. */
async function noticedBy(fault: Chosen, files: TestFile[], shared: Shared): Promise<string | null> {
  const file = join(SERVER, fault.source.path)
  writeFileSync(file, withFault(fault.source.text, fault))
  let first: Result | undefined
  await runFiles(files, shared, {
    timeout: TIMEOUT_MS,
    ended(result) {
      if (!result.hasPassed) first ??= result
      return first === undefined
    },
  })
  writeFileSync(file, fault.source.text)
  if (first === undefined) return null
  const test = /✖ (.*?) \(/.exec(first.report)?.[1] ?? 'did not end'
  return `${first.test.file}: ${test}`
}

function describe({ source, start, end, kind, replacement }: Chosen): string {
  const line = source.text.slice(0, start).split('\n').length
  const shown = (text: string) => text.trim().replaceAll(/\s+/g, ' ').slice(0, 60)
  return `${source.path}:${line} ${kind}, ${shown(source.text.slice(start, end))} -> ${shown(replacement)}`
}
