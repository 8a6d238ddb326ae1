import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'

/*
 * Wrappers that narrow, audit or guard a port. Each names all members of what it wraps, so that a new member does not
 * pass through it unseen: the compiler refuses the wrapper. Here the compiler gets a new member of each port.
 */

const SERVER = import.meta.dirname
const ROOT = join(SERVER, '../../..')

type Port = { name: string; parameters?: string; file: string; wrappers: readonly string[] }

const LEVELS = 'read/changes/level-view.ts'
const VIEW = ['read/rows/scoped-view.ts', 'engine/changes/kept-views.ts', LEVELS]
const STORE = 'acts/audit/audited-store.ts'
const KEYS = 'acts/audit/audited-keys.ts'
const ORGANIZATIONS = 'acts/audit/audited-organizations.ts'
const ACCESS = 'acts/audit/audited-access.ts'
const GUARDED_OBJECTS = 'faces/admin/admin-listener.ts'

const PORTS: readonly Port[] = [
  { name: 'ChangeView', file: 'engine/store/change-log.ts', wrappers: VIEW },
  { name: 'RecordView', file: 'engine/store/record-store.ts', wrappers: VIEW },
  {
    name: 'ChangeEntries',
    file: 'engine/store/change-entries.ts',
    wrappers: ['read/rows/scoped-view.ts', LEVELS],
  },
  {
    name: 'ObjectEntry',
    file: 'engine/store/change-entries.ts',
    wrappers: ['read/rows/scoped-view.ts'],
  },
  { name: 'Store', file: 'engine/store/store.ts', wrappers: [STORE] },
  { name: 'OrganizationStore', file: 'engine/store/store.ts', wrappers: [ORGANIZATIONS] },
  { name: 'PositionStore', file: 'engine/store/position-store.ts', wrappers: [STORE] },
  {
    ...{ name: 'ItemStore', parameters: '<Item, Settings>', file: 'engine/store/item-store.ts' },
    wrappers: [ORGANIZATIONS, GUARDED_OBJECTS],
  },
  { name: 'ObjectStore', file: 'engine/store/item-store.ts', wrappers: [STORE, GUARDED_OBJECTS] },
  { name: 'SavedMappingStore', file: 'engine/store/item-store.ts', wrappers: [ORGANIZATIONS] },
  { name: 'AttributeStore', file: 'engine/store/item-store.ts', wrappers: [ORGANIZATIONS] },
  { name: 'KeyStore', file: 'engine/store/key-store.ts', wrappers: [KEYS] },
  { name: 'LinkStore', file: 'engine/store/key-store.ts', wrappers: [KEYS] },
  { name: 'ApiKeyStore', file: 'engine/store/key-store.ts', wrappers: [KEYS] },
  { name: 'RoutingStore', file: 'engine/store/key-store.ts', wrappers: [KEYS] },
  { name: 'AccountStore', file: 'engine/store/access-store.ts', wrappers: [ACCESS] },
  { name: 'AccessStore', file: 'engine/store/access-store.ts', wrappers: [ACCESS] },
  { name: 'WebhookStore', file: 'engine/store/webhook-store.ts', wrappers: [ORGANIZATIONS] },
]

describe('A new member of a port is refused by the compiler in', () => {
  const refusals = refusalsOf(PORTS)
  for (const port of PORTS) {
    for (const wrapper of port.wrappers) {
      it(`${wrapper}, if ${port.name} has it`, () => {
        const ofWrapper = refusals.filter((error) => error.includes(`${wrapper}(`))
        const named = ofWrapper.filter((error) => error.includes(memberOf(port)))
        assert.ok(named.length > 0, `no error names the member:\n${ofWrapper.join('\n')}`)
      })
    }
  }
})

function memberOf({ name }: Port): string {
  return `newOf${name}`
}

/** The errors of the compiler if each of these ports has a new member. */
function refusalsOf(ports: readonly Port[]): string[] {
  const added = ports.map((port) => {
    const { name, parameters = '', file } = port
    const member = `${memberOf(port)}(organization: number): Promise<string>`
    return `declare module '${join(SERVER, file)}' { interface ${name}${parameters} { ${member} } }`
  })
  const wrappers = new Set(ports.flatMap((port) => port.wrappers))
  const folder = mkdtempSync(join(tmpdir(), 'fleetgate-wrappers-'))
  const settings = {
    extends: join(ROOT, 'tsconfig.json'),
    compilerOptions: { typeRoots: [join(ROOT, 'node_modules/@types')] },
    files: [join(folder, 'added.ts'), ...Array.from(wrappers, (file) => join(SERVER, file))],
    include: [],
  }
  writeFileSync(join(folder, 'added.ts'), ['export {}', ...added].join('\n'))
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings))
  const compiler = join(ROOT, 'node_modules/.bin/tsc')
  const { stdout } = spawnSync(compiler, ['-p', folder, '--pretty', 'false'], { encoding: 'utf8' })
  rmSync(folder, { recursive: true })
  // The lines after the first one of an error are indented.
  return stdout.split(/\n(?=\S)/)
}
