import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { test } from 'node:test'

/** Tests and their fixtures may import anything. */
const FOR_TESTS = /\.(test|fixture)\.ts$/
const SPECIFIER = /(?:\bfrom |^import |\bimport\()'([^']+)'/gm

/** The packages that a format or a database of the command needs. They are loaded when they are asked for. */
const PACKAGES: Record<string, RegExp> = {
  'hyparquet-writer': /^pull\/files\/parquet\.ts$/,
  'hucre/xlsx': /^pull\/files\/workbook\.ts$/,
  pg: /^pull\/postgres\//,
}

test('the client imports only itself, and its command alone imports modules of Node', () => {
  const source = import.meta.dirname
  const files = globSync('**/*.ts', { cwd: source })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => !FOR_TESTS.test(file))
  assert.ok(files.includes('pull/pull-command.ts'), 'the source was found')
  const violations = files.flatMap((file) =>
    violationsIn(file, readFileSync(posix.join(source, file), 'utf8')),
  )
  assert.deepEqual(violations, [])
})

test('a forbidden import is found', () => {
  const against = (file: string, specifier: string) =>
    violationsIn(file, `import { x } from '${specifier}'`).length === 1
  assert.ok(against('fleetgate.ts', '../../server/src/domain/fix.ts'))
  assert.ok(against('pull/pull-command.ts', '../../../server/src/cli/failure.ts'))
  assert.ok(against('fleetgate.ts', 'undici'))
  assert.ok(against('pull/pull-command.ts', 'commander'))
  assert.ok(against('pull/files/csv.ts', 'hyparquet-writer'))
  assert.ok(against('fleetgate.ts', 'pg'))
  assert.ok(against('fleetgate.ts', 'node:fs'))
  assert.ok(against('index.ts', './pull/pull-command.ts'))
  assert.ok(against('history.ts', './turned-clock.fixture.ts'))
  assert.ok(!against('pull/pull-command.ts', 'node:fs'))
  assert.ok(!against('pull/pull-command.ts', '../index.ts'))
})

function violationsIn(file: string, text: string): string[] {
  return [...text.matchAll(SPECIFIER)]
    .map((match) => match[1]!)
    .filter((specifier) => !isAllowed(file, specifier))
    .map((specifier) => `${file} imports ${specifier}`)
}

function isAllowed(file: string, specifier: string): boolean {
  const isCommand = file.startsWith('pull/')
  if (PACKAGES[specifier] !== undefined) return PACKAGES[specifier].test(file)
  if (!specifier.startsWith('.')) return isCommand && specifier.startsWith('node:')
  const target = posix.join(posix.dirname(file), specifier)
  if (target.startsWith('..') || FOR_TESTS.test(target)) return false
  return isCommand || !target.startsWith('pull/')
}
