import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Command } from 'commander'
import { environmentName } from './location.ts'
import { program } from './program.ts'

/** Environment variables as hosting platforms name them. */
const LOCATIONS: Record<string, string> = {
  '--database': 'DATABASE_URL',
  '--database-replica': 'DATABASE_REPLICA_URL',
  '--redis': 'REDIS_URL',
}

/** The database of this command is Traccar's. */
const TRACCAR: Record<string, string> = { '--database': 'TRACCAR_DATABASE_URL' }

/** Commands that do not work on one data folder or database of Fleetgate alone. */
const PLACES: Record<string, string[]> = {
  copy: ['--from', '--to'],
  'attach status': ['--plan', '--to'],
  'attach traccar': ['--database', '--to'],
}

const leaves = leavesOf(await program(), '')

/** Options that a variable for other commands must not set. */
const WITHOUT_VARIABLE: Record<string, string[]> = { copy: ['--org', '--object'] }

describe('Every command', () => {
  it('exists', () => {
    const crud = (kind: string) =>
      ['list', 'show', 'update', 'delete'].map((name) => `${kind} ${name}`)
    const expected = [
      'serve',
      'status',
      'audit',
      'backup',
      'attach status',
      'attach traccar',
      'copy',
      'doctor',
      'distribute',
      'mcp',
      'pull',
      'pack',
      'recompute',
      'shrink',
      'verify',
      'objects refused-idents',
      'objects wrong-clocks',
      'objects rejects',
      ...['issue', 'list', 'revoke'].map((name) => `token ${name}`),
      ...['list', 'invite', 'invitations', 'uninvite', 'roles', 'disable', 'enable', 'reset'].map(
        (name) => `people ${name}`,
      ),
      ...['rename', 'unlink', 'delete', 'sessions', 'settings'].map((name) => `people ${name}`),
      ...['list', 'add', 'move', 'remove'].map((name) => `routing rules ${name}`),
      ...['list', 'assign', 'dismiss'].map((name) => `routing waiting ${name}`),
      ...['delete', 'erased', 'export-erased', 'import-erased'].map((name) => `positions ${name}`),
      'routing test',
      'key disclosures',
      'desk',
      'key update',
      'org create',
      ...['list', 'set', 'publish', 'hide', 'remove', 'forget', 'find', 'erase', 'preview'].map(
        (name) => `attributes ${name}`,
      ),
      ...['org', 'objects', 'geofences', 'routes', 'sites'].flatMap(crud),
      ...['key', 'feed-token', 'routing token'].flatMap((kind) =>
        ['issue', 'list', 'revoke', 'rotate'].map((name) => `${kind} ${name}`),
      ),
      ...['create', 'list', 'rotate', 'revoke'].map((name) => `link ${name}`),
      ...['create', 'list', 'update', 'delete', 'deliveries', 'test', 'redeliver'].map(
        (name) => `webhook ${name}`,
      ),
      ...['objects', 'positions', 'geofences', 'routes', 'sites'].map((name) => `import ${name}`),
      ...['mappings', 'rename-mapping', 'forget-mapping'].map((name) => `import ${name}`),
      ...['trips', 'stops', 'visits', 'levels', 'days'].map((name) => `records ${name}`),
    ]
    assert.deepEqual([...leaves.keys()].sort(), expected.sort())
  })

  for (const [path, command] of leaves) {
    // The tests of their packages check the options of these two.
    if (path === 'pull' || path === 'mcp') continue
    describe(path, () => {
      it('accepts --json and its data location', () => {
        const flags = command.options.map((option) => option.long)
        const places = PLACES[path] ?? ['--data', '--database']
        for (const each of [...places, '--json']) assert.ok(flags.includes(each), each)
        if (PLACES[path] === undefined) assert.equal(command.getOptionValue('data'), './data')
      })

      it('shows each option with its environment variable, and an example', () => {
        const help = helpOf(command)
        assert.ok(command.description().length > 10)
        assert.match(help, new RegExp(`Examples:\n  fleetgate ${path}\\b`))
        for (const option of command.options) {
          assert.ok(option.description.length > 3, `${option.long} is described`)
          if (WITHOUT_VARIABLE[path]?.includes(option.long!)) {
            assert.equal(option.envVar, undefined)
            continue
          }
          const location = path === 'attach traccar' ? TRACCAR : LOCATIONS
          assert.equal(option.envVar, location[option.long!] ?? environmentName(option.long!))
          const shown = help.replaceAll(/\s+/g, ' ')
          assert.ok(shown.includes(`env: ${option.envVar})`), `${option.long} in ${help}`)
        }
      })
    })
  }
})

it('an environment variable has the name of its option', () => {
  assert.equal(environmentName('--admin-port'), 'FLEETGATE_ADMIN_PORT')
})

function leavesOf(command: Command, path: string): Map<string, Command> {
  if (command.commands.length === 0) return new Map([[path, command]])
  return new Map(
    command.commands.flatMap((each) => [...leavesOf(each, `${path} ${each.name()}`.trim())]),
  )
}

function helpOf(command: Command): string {
  let text = ''
  command.configureOutput({ writeOut: (part) => (text += part) })
  command.outputHelp()
  return text
}
