import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { test } from 'node:test'

/**
 * Which folders of the source the files of each folder may import, besides their own. A folder that
 * is not named here is not part of the house yet: give it a line. `cli` and the files at the top
 * stand above the rest and may import anything but what stands above them.
 */
const MAY_IMPORT: Record<string, readonly string[]> = {
  domain: [],
  http: ['domain'],
  access: ['domain'],
  tracking: ['domain'],
  trial: ['domain'],
  store: ['domain'],
  realtime: ['domain', 'access'],
  geocoding: ['domain'],
  catalogue: ['domain', 'access', 'store', 'realtime'],
  upkeep: ['domain', 'store', 'geocoding'],
  import: ['domain', 'tracking', 'store', 'catalogue'],
  copy: ['domain', 'store'],
  demo: ['domain', 'access', 'tracking', 'store', 'catalogue', 'import'],
  api: ['domain', 'http', 'access', 'tracking', 'store', 'realtime', 'catalogue'],
  feed: ['domain', 'http', 'access', 'tracking', 'store', 'realtime', 'catalogue'],
  usage: ['domain', 'store'],
  // An object's fields are written as the API writes them.
  admin: [
    'domain',
    'http',
    'access',
    'tracking',
    'store',
    'realtime',
    'catalogue',
    'import',
    'usage',
    'api',
  ],
}

/** Each may import what comes before it. */
const TOP = ['config.ts', 'serve.ts', 'compose.ts', 'cli', 'main.ts']

/** Their sub-folders are adapters, which only `compose.ts` chooses. */
const PORTS = ['store', 'realtime', 'geocoding']

/** All that is taken of another package, and by whom. */
const OF_OTHER_PACKAGES = { file: 'cli/pull.ts', target: '../../client/src/pull/main.ts' }

/** Tests, and what they alone import, may start servers and open adapters. */
const FOR_TESTS = /(\.test|\/temporary-store)\.ts$/

const SPECIFIER = /(?:\bfrom|^import|\bimport\()\s*'([^']+)'/gm

test('imports run one way', () => {
  const source = import.meta.dirname
  const files = globSync('**/*.ts', { cwd: source }).filter((file) => !FOR_TESTS.test(file))
  assert.ok(files.length > 10, 'the source was found')
  const violations = files.flatMap((file) =>
    violationsIn(file.replaceAll('\\', '/'), readFileSync(posix.join(source, file), 'utf8')),
  )
  assert.deepEqual(violations, [])
})

/** With them it would load some four hundred files more, a quarter of its start; and `typebox` is not installed with it. */
test('a server loads no schemas', () => {
  const source = import.meta.dirname
  const loaded = loadedBy('main.ts', (file) => readFileSync(posix.join(source, file), 'utf8'))
  assert.ok(loaded.has('serve.ts') && loaded.has('api/documentation/serve-documentation.ts'))
  assert.deepEqual(
    [...loaded].filter((each) => /^typebox|documentation\/schemas\.ts$/.test(each)),
    [],
  )
})

test('what a file loads is found, types aside', () => {
  const files: Record<string, string> = {
    'a.ts': "import type { T } from './t.ts'\nimport {\n  type U,\n  u,\n} from './b/u.ts'",
    'b/u.ts': "export * from './v.ts'\nimport '../w.ts'\nconst x = await import('typebox/x')",
    'b/v.ts': "export type { T } from '../t.ts'",
    'w.ts': '',
  }
  const loaded = loadedBy('a.ts', (file) => files[file]!)
  assert.deepEqual([...loaded].sort(), ['a.ts', 'b/u.ts', 'b/v.ts', 'typebox/x', 'w.ts'])
})

/** All that is loaded with a file of the source or, in a function, may be; packages by their names. */
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

/** What is gone when it runs. */
const OF_TYPES = /^(?:import|export) type [^']*'[^']+'/gm

test('an import against the direction is found', () => {
  const against = (file: string, specifier: string) =>
    violationsIn(file, `import { x } from '${specifier}'`).length === 1
  assert.ok(against('domain/fix.ts', '../store/store.ts'))
  assert.ok(against('domain/fix.ts', 'node:fs'))
  assert.ok(against('store/sqlite/open.ts', '../../api/server.ts'))
  assert.ok(against('api/server.ts', '../store/sqlite/open.ts'))
  assert.ok(against('api/server.ts', '../compose.ts'))
  assert.ok(against('cli/serve.ts', '../main.ts'))
  assert.ok(against('cli/serve.ts', '../store/sqlite/open.ts'))
  assert.ok(against('cli/serve.ts', '../../../client/src/pull/main.ts'))
  assert.ok(against('cli/pull.ts', '../../../client/src/index.ts'))
  assert.ok(against('store/sqlite/open.ts', './temporary-store.ts'))
  assert.ok(against('unheard-of/file.ts', '../domain/fix.ts'))
  assert.equal(violationsIn('domain/fix.ts', "export * from '../api/server.ts'").length, 1)
  assert.equal(violationsIn('domain/fix.ts', "import '../api/server.ts'").length, 1)
  assert.equal(violationsIn('domain/fix.ts', "await import('../api/server.ts')").length, 1)
  assert.equal(
    violationsIn('domain/fix.ts', "import type {\n  A,\n  B,\n} from '../api/server.ts'").length,
    1,
  )
})

test('an import in the direction is let through', () => {
  const along = (file: string, specifier: string) =>
    violationsIn(file, `import { x } from '${specifier}'`).length === 0
  assert.ok(along('domain/fix-record.ts', './fix.ts'))
  assert.ok(along('store/sqlite/open.ts', '../../domain/fix.ts'))
  assert.ok(along('store/sqlite/open.ts', '../store.ts'))
  assert.ok(along('api/server.ts', '../store/store.ts'))
  assert.ok(along('api/server.ts', 'node:http'))
  assert.ok(along('compose.ts', './store/sqlite/open.ts'))
  assert.ok(along('cli/serve.ts', '../compose.ts'))
  assert.ok(along('main.ts', './cli/serve.ts'))
  assert.ok(along('cli/pull.ts', '../../../client/src/pull/main.ts'))
})

/** The imports of a file that its place does not allow, as `file imports target`. */
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
    return file === OF_OTHER_PACKAGES.file && target === OF_OTHER_PACKAGES.target
  }
  const to = topOf(target)
  if (to === from) return true
  const isAdapter = PORTS.includes(to) && target.split('/').length > 2
  if (isAdapter && from !== 'compose.ts') return false
  if (TOP.includes(from)) return !TOP.includes(to) || TOP.indexOf(to) < TOP.indexOf(from)
  return MAY_IMPORT[from]?.includes(to) ?? false
}

/** The folder of the source in which a file lies, or the file itself at the top. */
function topOf(file: string): string {
  return file.split('/')[0]!
}
