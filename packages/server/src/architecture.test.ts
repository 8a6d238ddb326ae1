import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { test } from 'node:test'
import { FOLDERS, OVER_PORTS, PORTS, STORE_ADAPTERS, TOP } from '../testing/architecture.ts'

const MAY_IMPORT = new Map(
  FOLDERS.map(({ name, mayImport }) => [name, name === 'domain' ? [] : ['domain', ...mayImport]]),
)
const TOP_NAMES = TOP.map(({ name }) => name)

/** The only imports of another package: `pull`, and the texts that it makes safe for spreadsheets. */
const OF_OTHER_PACKAGES: Record<string, readonly string[]> = {
  'cli/program.ts': ['../../client/src/pull/main.ts'],
  'admin/operations/records.ts': ['../../client/src/pull/files/spreadsheet.ts'],
}

/** Tests and their helpers may start servers and open adapters. */
const FOR_TESTS = /\.(test|fixture)\.ts$/

const SPECIFIER = /(?:\bfrom|^import|\bimport\()\s*'([^']+)'/gm

test('a folder may import earlier ones of the table only', () => {
  for (const [index, { name, mayImport }] of FOLDERS.entries()) {
    const earlier = FOLDERS.slice(0, index).map((each) => each.name)
    assert.deepEqual(
      mayImport.filter((each) => !earlier.includes(each)),
      [],
      name,
    )
  }
})

test('imports run one way', () => {
  const source = import.meta.dirname
  const files = globSync('**/*.ts', { cwd: source }).filter((file) => !FOR_TESTS.test(file))
  assert.ok(files.length > 10, 'the source was found')
  const violations = files.flatMap((file) =>
    violationsIn(file.replaceAll('\\', '/'), readFileSync(posix.join(source, file), 'utf8')),
  )
  assert.deepEqual(violations, [])
})

/**
 * The schemas would load some four hundred more files, a quarter of the start; and `typebox` is not installed
 * with a server.
 */
test('a server loads no schemas', () => {
  const source = import.meta.dirname
  const loaded = loadedBy('main.ts', (file) => readFileSync(posix.join(source, file), 'utf8'))
  assert.ok(loaded.has('serve.ts') && loaded.has('api/documentation/serve-documentation.ts'))
  assert.deepEqual(
    [...loaded].filter((each) => /^typebox|schemas\/schemas\.ts$/.test(each)),
    [],
  )
})

test('all loaded files are found, without types', () => {
  const files: Record<string, string> = {
    'a.ts': "import type { T } from './t.ts'\nimport {\n  type U,\n  u,\n} from './b/u.ts'",
    'b/u.ts': "export * from './v.ts'\nimport '../w.ts'\nconst x = await import('typebox/x')",
    'b/v.ts': "export type { T } from '../t.ts'",
    'w.ts': '',
  }
  const loaded = loadedBy('a.ts', (file) => files[file]!)
  assert.deepEqual([...loaded].sort(), ['a.ts', 'b/u.ts', 'b/v.ts', 'typebox/x', 'w.ts'])
})

/** All files of the source that load with this file, or later from a function; packages by their names. */
function loadedBy(file: string, read: (file: string) => string): Set<string> {
  const loaded = new Set([file])
  for (const each of loaded) {
    if (!each.endsWith('.ts') || each.startsWith('..')) continue
    for (const [, specifier] of read(each).replaceAll(OF_TYPES, '').matchAll(SPECIFIER)) {
      const isOurs = specifier!.startsWith('.')
      loaded.add(isOurs ? posix.join(posix.dirname(each), specifier!) : specifier!)
    }
  }
  return loaded
}

/** Type imports are gone at run time. */
const OF_TYPES = /^(?:import|export) type [^']*'[^']+'/gm

test('no files import one another in a circle, not even types', () => {
  const source = import.meta.dirname
  const files = globSync('**/*.ts', { cwd: source }).filter((file) => !FOR_TESTS.test(file))
  const read = (file: string) => readFileSync(posix.join(source, file), 'utf8')
  assert.deepEqual(circlesOf(new Map(files.map((file) => [file, importsOf(file, read(file))]))), [])
})

test('files in circles are found, and not those that import them or that they import', () => {
  const imports = new Map([
    ['above.ts', ['a.ts']],
    ['a.ts', ['b.ts', 'below.ts']],
    ['b.ts', ['c.ts']],
    ['c.ts', ['a.ts']],
    ['below.ts', []],
  ])
  assert.deepEqual(circlesOf(imports), ['a.ts', 'b.ts', 'c.ts'])
})

/** The files on circles, or between two of them. */
function circlesOf(imports: Map<string, string[]>): string[] {
  let left = [...imports.keys()]
  for (let before = Infinity; left.length < before; ) {
    before = left.length
    left = left.filter((file) => imports.get(file)!.some((each) => left.includes(each)))
    left = left.filter((file) => left.some((each) => imports.get(each)!.includes(file)))
  }
  return left
}

function importsOf(file: string, text: string): string[] {
  return Array.from(text.matchAll(SPECIFIER), ([, specifier]) =>
    posix.join(posix.dirname(file), specifier!),
  )
}

const AGAINST: [file: string, text: string][] = [
  ['domain/fix.ts', "import { x } from '../store/store.ts'"],
  ['domain/fix.ts', "import { x } from 'node:fs'"],
  ['domain/fix.ts', "export * from '../api/server.ts'"],
  ['domain/fix.ts', "import '../api/server.ts'"],
  ['domain/fix.ts', "await import('../api/server.ts')"],
  ['domain/fix.ts', "import type {\n  A,\n  B,\n} from '../api/server.ts'"],
  ['sqlite/open.ts', "import { x } from '../api/server.ts'"],
  ['sqlite/open.ts', "import { x } from '../postgres/open.ts'"],
  ['sqlite/open.ts', "import { x } from './crash.fixture.ts'"],
  ['api/server.ts', "import { x } from '../sqlite/open.ts'"],
  ['api/server.ts', "import { x } from '../store/tables/sql.ts'"],
  ['api/server.ts', "import { x } from '../compose.ts'"],
  ['cli/serve.ts', "import { x } from '../main.ts'"],
  ['cli/serve.ts', "import { x } from '../sqlite/open.ts'"],
  ['cli/serve.ts', "import { x } from '../../../client/src/pull/main.ts'"],
  ['cli/program.ts', "import { x } from '../../../client/src/index.ts'"],
  ['unheard-of/file.ts', "import { x } from '../domain/fix.ts'"],
]
const ALONG: [file: string, specifier: string][] = [
  ['domain/fix-record.ts', './fix.ts'],
  ['sqlite/open.ts', '../domain/fix.ts'],
  ['sqlite/open.ts', '../store/store.ts'],
  ['sqlite/open.ts', '../store/tables/sql.ts'],
  ['api/server.ts', '../store/store.ts'],
  ['api/server.ts', 'node:http'],
  ['compose.ts', './sqlite/open.ts'],
  ['cli/serve.ts', '../compose.ts'],
  ['main.ts', './cli/serve.ts'],
  ['cli/program.ts', '../../../client/src/pull/main.ts'],
]

test('an import against the direction is found, and one along it is allowed', () => {
  for (const [file, text] of AGAINST) assert.equal(violationsIn(file, text).length, 1, text)
  for (const [file, specifier] of ALONG) {
    assert.deepEqual(violationsIn(file, `import { x } from '${specifier}'`), [])
  }
})

/** The forbidden imports of a file, as `file imports target`. */
function violationsIn(file: string, text: string): string[] {
  return [...text.matchAll(SPECIFIER)]
    .map((match) => match[1]!)
    .filter((specifier) => !isAllowed(file, specifier))
    .map((specifier) => `${file} imports ${specifier}`)
}

function isAllowed(file: string, specifier: string): boolean {
  const from = topOf(file)
  if (!specifier.startsWith('.')) return from !== 'domain'
  if (FOR_TESTS.test(specifier)) return false
  const target = posix.join(posix.dirname(file), specifier)
  if (target.startsWith('../..')) {
    return OF_OTHER_PACKAGES[file]?.includes(target) ?? false
  }
  const to = topOf(target)
  if (to === from) return true
  if (
    isInner(target) &&
    from !== 'compose.ts' &&
    !(to === 'store' && STORE_ADAPTERS.includes(from))
  ) {
    return false
  }
  if (TOP_NAMES.includes(from)) {
    return !TOP_NAMES.includes(to) || TOP_NAMES.indexOf(to) < TOP_NAMES.indexOf(from)
  }
  return MAY_IMPORT.get(from)?.includes(to) ?? false
}

/** Whether a file belongs to an adapter, or to what adapters share. */
function isInner(file: string): boolean {
  const top = topOf(file)
  if (STORE_ADAPTERS.includes(top)) return true
  if (!PORTS.includes(top) || file.split('/').length === 2) return false
  return !OVER_PORTS.some((part) => file.startsWith(`${part}/`))
}

/** The top-level folder of a file, or the file itself at the top. */
function topOf(file: string): string {
  return file.split('/')[0]!
}
