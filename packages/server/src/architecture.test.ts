import assert from 'node:assert/strict'
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { test } from 'node:test'
import { COMPOSE, PORTS, SHARED_BY_STORES, STORE_ADAPTERS, WINGS } from '../testing/architecture.ts'

const NAMES = WINGS.map(({ name }) => name)

/** The only imports of another package: `pull`, and how it writes for spreadsheets. */
const OF_OTHER_PACKAGES: Record<string, readonly string[]> = {
  'run/program.ts': ['../../client/src/pull/main.ts'],
  'acts/spreadsheet.ts': ['../../client/src/pull/files/spreadsheet.ts'],
  'read/formats/xlsx.ts': [
    '../../client/src/pull/files/kinds.ts',
    '../../client/src/pull/files/workbook.ts',
  ],
}

/** Tests and their helpers may start servers and open adapters. */
const FOR_TESTS = /\.(test|fixture)\.ts$/

const SPECIFIER = /(?:\bfrom|^import|\bimport\()\s*'([^']+)'/gm

test('each folder has a place in the drawing', () => {
  const source = import.meta.dirname
  for (const { name, parts } of WINGS) {
    for (const part of Object.keys(parts))
      assert.ok(existsSync(posix.join(source, name, part)), part)
  }
  assert.deepEqual(
    readdirSync(source)
      .filter((each) => !each.endsWith('.test.ts'))
      .sort(),
    NAMES.toSorted(),
  )
})

test('no two folders import each other, at any depth, in any package', () => {
  for (const folder of ['server/src', 'console/src', 'client/src', 'mcp/src']) {
    const source = posix.join(import.meta.dirname, '../..', folder)
    const files = globSync('**/*.{ts,tsx}', { cwd: source }).filter((file) => !FOR_TESTS.test(file))
    assert.ok(files.length > 1, folder)
    const read = (file: string) => readFileSync(posix.join(source, file), 'utf8')
    assert.deepEqual(
      mutualPairs(new Map(files.map((file) => [file, importsOf(file, read(file))]))),
      [],
    )
  }
})

test('folders that import each other are found where their paths part', () => {
  const imports = new Map([
    ['a/b/c.ts', ['a/d/e.ts', 'a/top.ts', 'f/g.ts']],
    ['a/d/h/i.ts', ['a/b/c.ts']],
    ['f/g.ts', ['f/h.ts']],
  ])
  assert.deepEqual(mutualPairs(imports), ['a/b and a/d'])
})

/** The pairs of folders, next to each other, of which each has a file that imports one of the other. */
function mutualPairs(imports: Map<string, string[]>): string[] {
  const arrows = new Set<string>()
  for (const [file, targets] of imports) {
    for (const target of targets) {
      const [from, to] = [posix.dirname(file).split('/'), posix.dirname(target).split('/')]
      const at = from.findIndex((each, index) => each !== to[index])
      if (at < 0 || at >= to.length || from[0] === '.' || to[0] === '.') continue
      arrows.add(`${from.slice(0, at + 1).join('/')} and ${to.slice(0, at + 1).join('/')}`)
    }
  }
  return [...arrows].filter((arrow) => {
    const [from, to] = arrow.split(' and ') as [string, string]
    return from < to && arrows.has(`${to} and ${from}`)
  })
}

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
  const loaded = loadedBy('run/main.ts', (file) => readFileSync(posix.join(source, file), 'utf8'))
  assert.ok(
    loaded.has('run/serve.ts') && loaded.has('faces/api/documentation/serve-documentation.ts'),
  )
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
  ['base/domain/fix.ts', "import { x } from '../../engine/store/store.ts'"],
  ['base/domain/fix.ts', "import { x } from '../http/http-server.ts'"],
  ['base/domain/fix.ts', "import { x } from 'node:fs'"],
  ['base/access/key.ts', "export * from '../../faces/api/server.ts'"],
  ['base/access/key.ts', "import '../../faces/api/server.ts'"],
  ['base/access/key.ts', "await import('../../faces/api/server.ts')"],
  ['base/access/key.ts', "import type {\n  A,\n  B,\n} from '../../faces/api/server.ts'"],
  ['data/sqlite/open.ts', "import { x } from '../../faces/api/server.ts'"],
  ['data/sqlite/open.ts', "import { x } from '../postgres/open.ts'"],
  ['data/sqlite/open.ts', "import { x } from './crash.fixture.ts'"],
  ['data/cache/fleet-cache.ts', "import { x } from '../sqlite/open.ts'"],
  ['faces/api/server.ts', "import { x } from '../../data/sqlite/open.ts'"],
  ['faces/api/server.ts', "import { x } from '../../data/live/redis/scripts.ts'"],
  ['faces/api/server.ts', "import { x } from '../../data/tables/sql.ts'"],
  ['faces/api/server.ts', "import { x } from '../../run/compose.ts'"],
  ['run/serve.ts', "import { x } from '../data/sqlite/open.ts'"],
  ['run/serve.ts', "import { x } from '../../../client/src/pull/main.ts'"],
  ['run/program.ts', "import { x } from '../../../client/src/index.ts'"],
  ['unheard-of/file.ts', "import { x } from '../base/domain/fix.ts'"],
]
const ALONG: [file: string, specifier: string][] = [
  ['base/domain/fix-record.ts', './fix.ts'],
  ['engine/tracking/fold.ts', '../store/store.ts'],
  ['data/sqlite/open.ts', '../../base/domain/fix.ts'],
  ['data/sqlite/open.ts', '../../engine/store/store.ts'],
  ['data/sqlite/open.ts', '../tables/sql.ts'],
  ['data/live/redis/scripts.ts', '../realtime.ts'],
  ['faces/api/server.ts', '../../engine/store/store.ts'],
  ['faces/api/server.ts', '../../data/live/realtime.ts'],
  ['faces/api/server.ts', 'node:http'],
  ['run/compose.ts', '../data/sqlite/open.ts'],
  ['run/serve.ts', './compose.ts'],
  ['run/program.ts', '../../../client/src/pull/main.ts'],
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
  const isDomain = file.startsWith('base/domain/')
  if (!specifier.startsWith('.')) return !isDomain
  if (FOR_TESTS.test(specifier)) return false
  const target = posix.join(posix.dirname(file), specifier)
  if (target === '../package.json') return wingOf(file) === 'run'
  if (target.startsWith('..')) return OF_OTHER_PACKAGES[file]?.includes(target) ?? false
  if (isDomain) return target.startsWith('base/domain/')
  if (isInner(target) && !mayOpen(file, target)) return false
  const [from, to] = [NAMES.indexOf(wingOf(file)), NAMES.indexOf(wingOf(target))]
  return from >= 0 && to >= 0 && to <= from
}

/** Whether a file belongs to an adapter, or to what adapters share. */
function isInner(file: string): boolean {
  const folder = partOf(file)
  if ([...STORE_ADAPTERS, ...SHARED_BY_STORES].includes(folder)) return true
  return PORTS.includes(folder) && file.split('/').length > 3
}

/** Adapters have what they share, and each part has itself. */
function mayOpen(file: string, target: string): boolean {
  const [from, to] = [partOf(file), partOf(target)]
  if (file === COMPOSE || from === to) return true
  const inStores = [...STORE_ADAPTERS, ...SHARED_BY_STORES, 'data/copy']
  return SHARED_BY_STORES.includes(to) && inStores.includes(from)
}

function partOf(file: string): string {
  return file.split('/').slice(0, 2).join('/')
}

function wingOf(file: string): string {
  return file.split('/')[0]!
}
