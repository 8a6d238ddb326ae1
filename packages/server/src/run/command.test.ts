import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import manifest from '../../package.json' with { type: 'json' }
import { endOf } from '../../testing/command-line/printed.ts'
import { fleetgate, json, start, temporaryFolder } from '../../testing/command-line/spawned.ts'
import { openStore } from './compose.ts'
import { UsageError } from './failure.ts'
import { program } from './program.ts'

describe('The command line', { concurrency: true }, () => {
  it('shows its help without arguments, and its version', async () => {
    const bare = await fleetgate([])
    assert.equal(bare.code, 0)
    assert.match(bare.stdout, /^Usage: fleetgate <command>/)
    assert.equal(bare.stderr, '')
    assert.equal((await fleetgate(['--version'])).stdout, `${manifest.version}\n`)
  })

  it('shows the help of a command within groups, as its --help does', async () => {
    for (const words of [
      ['key', 'issue'],
      ['routing', 'rules', 'add'],
    ]) {
      const { code, stdout } = await fleetgate(['help', ...words])
      assert.equal(code, 0)
      assert.match(stdout, new RegExp(`^Usage: fleetgate ${words.join(' ')} `))
      assert.equal(stdout, (await fleetgate([...words, '--help'])).stdout)
    }
  })

  it('names an unknown command also when it is asked for its help', async () => {
    for (const [words, says] of [
      [['help', 'orgs'], /unknown command 'orgs'; did you mean org\?/],
      [['key', 'isue', '--help'], /unknown command 'isue'; did you mean issue\?/],
      [['help', 'routing', 'rules', 'ad'], /unknown command 'ad'/],
    ] as const) {
      const { code, stdout, stderr } = await fleetgate([...words])
      assert.deepEqual([code, stdout], [2, ''])
      assert.match(stderr, says)
    }
  })

  const wrong: [args: string[], says: RegExp][] = [
    [['orgs'], /unknown command 'orgs'; did you mean org\?/],
    [['org', 'lst'], /unknown command 'lst'; did you mean list\?/],
    [['--', 'org', 'lst'], /unknown command 'lst'; did you mean list\?/],
    [['org'], /'fleetgate org' requires a command: create, list, show, update, delete/],
    [['org', 'list', '--jsn'], /unknown option '--jsn'; did you mean --json\?/],
    [['org', 'list', '--data'], /'--data <dir>' argument missing/],
    [['org', 'list', 'x'], /too many arguments for 'list': it takes 0 but got 1: x/],
    [['org', 'show'], /missing required argument 'id'; see 'fleetgate org show --help'/],
    [['org', 'show', '0x1'], /'0x1' is invalid.* whole number/],
    [['org', 'create'], /a name is required/],
    [['org', 'create', 'A', '--distance-unit', 'league'], /'league' is invalid.*one of km, mi/],
    [['org', 'create', 'A', '--daily-quota', '-1'], /'-1' is invalid.*0 or more, or unlimited/],
    [['key', 'issue'], /'--org <id>' not specified/],
    [['key', 'issue', '--org', '1', '--expires', 'soon'], /'soon' is invalid.*90d/],
    [['key', 'issue', '--org', '1', '--expires', '2001-01-01'], /2001-01-01.*in the future/],
    [['geofences', 'update', '--org', '1', '1', '--color', 'red'], /'red' is invalid.*hex color/],
    [['sites', 'update', '--org', '1', '1', '--latitude', '91'], /'91' is invalid.*-90 to 90/],
  ]
  for (const [args, says] of wrong) {
    it(`describes the valid arguments: ${args.join(' ')}`, async () => {
      const command = await program(args)
      await assert.rejects(command.parseAsync(args, { from: 'user' }), (error: Error) => {
        assert.ok(error instanceof UsageError)
        assert.match(error.message, says)
        return true
      })
    })
  }

  it('exits with 2 after wrong usage, explains it in one line, and creates no data folder', async (t) => {
    const data = join(await temporaryFolder(t), 'data')
    for (const args of [['org', 'create'], ['org', 'create', 'A', '--jsn'], ['org'], ['orgs']]) {
      const { code, stdout, stderr } = await fleetgate(args, { FLEETGATE_DATA: data })
      assert.deepEqual([code, stdout], [2, ''])
      assert.match(stderr, /^fleetgate: .*\n$/)
    }
    assert.equal(existsSync(data), false)
  })

  it('exits with 1 after a failure, and names the folder', async (t) => {
    const folder = await temporaryFolder(t)
    const file = join(folder, 'file')
    await writeFile(file, '')
    for (const [args, says] of [
      [['org', 'list', '--data', folder], /no Fleetgate data in '.*'; set its folder with --data/],
      [['org', 'list', '--json', '--data', join(folder, 'nowhere')], /no Fleetgate data/],
      [['org', 'create', 'A', '--data', file], /file cannot be used/],
    ] as const) {
      const { code, stdout, stderr } = await fleetgate([...args])
      assert.equal(code, 1)
      assert.equal(stdout, '')
      assert.match(stderr, /^fleetgate: .*\n$/)
      assert.match(stderr, says)
    }
  })

  it('takes options from the environment, which arguments override', async (t) => {
    const folder = await temporaryFolder(t)
    const environment = { FLEETGATE_DATA: folder, FLEETGATE_LANGUAGE: 'de' }
    const created = await json(['org', 'create', 'A'], environment)
    assert.equal(created.language, 'de')
    const { stdout } = await fleetgate(['org', 'show', '1'], {
      FLEETGATE_DATA: folder,
      FLEETGATE_JSON: '1',
    })
    assert.equal(JSON.parse(stdout).name, 'A')
    const french = await json(['org', 'create', 'B', '--language', 'fr'], environment)
    assert.equal(french.language, 'fr')
    const elsewhere = await fleetgate(['org', 'list', '--data', `${folder}/none`], environment)
    assert.equal(elsewhere.code, 1)
  })

  it('treats a switch with a negative value, and an empty variable, as not set', async (t) => {
    const folder = await temporaryFolder(t)
    await json(['org', 'create', 'A', '--data', folder])
    const environment = { FLEETGATE_DATA: folder, FLEETGATE_JSON: '0', FLEETGATE_LANGUAGE: '' }
    const table = await fleetgate(['org', 'list'], environment)
    assert.match(table.stdout, /^ID {2}NAME/)
    const nonsense = await fleetgate(['org', 'list'], { ...environment, FLEETGATE_JSON: 'perhaps' })
    assert.equal(nonsense.code, 2)
    assert.match(nonsense.stderr, /FLEETGATE_JSON must be 1 or 0, not 'perhaps'/)
    const unasked = { FLEETGATE_DATA: folder, FLEETGATE_NO_CREATE_OBJECTS: '0' }
    const nothing = await fleetgate(['org', 'update', '1'], unasked)
    assert.match(nothing.stderr, /nothing to change/)
    const bad = await fleetgate(['org', 'create', 'A'], { FLEETGATE_LANGUAGE: 'xx' })
    assert.equal(bad.code, 2)
    assert.match(bad.stderr, /FLEETGATE_LANGUAGE/)
  })

  it('shows a stack trace only on request', async () => {
    const args = ['org', 'list', '--data', '/nowhere/at/all']
    assert.doesNotMatch((await fleetgate(args)).stderr, /\n {4}at /)
    assert.match((await fleetgate(args, { FLEETGATE_DEBUG: '1' })).stderr, /\n {4}at /)
  })

  it('prints no colors outside a terminal', async (t) => {
    const folder = await temporaryFolder(t)
    const { stdout } = await fleetgate(['org', 'create', 'A', '--data', folder])
    assert.ok(!stdout.includes('\u001b'))
  })

  it('ends quietly when its reader closes the pipe', async (t) => {
    const folder = await temporaryFolder(t)
    await json(['org', 'create', 'A', '--data', folder])
    const child = start(['org', 'list', '--data', folder])
    child.stdout.destroy()
    const { code, stderr } = await endOf(child)
    assert.deepEqual([code, stderr], [0, ''])
  })

  it('works while another process has the data open, which sees the changes', async (t) => {
    const folder = await temporaryFolder(t)
    const store = await openStore({ folder })
    t.after(() => store.close())
    const topics: string[] = []
    const watch = store.watch((change) => void topics.push(change.topic))
    t.after(() => watch.close())
    const { id } = await json(['org', 'create', 'A', '--data', folder])
    await json(['key', 'issue', '--org', String(id), '--data', folder])
    watch.catchUp()
    assert.ok(topics.includes('organization') && topics.includes('keys'), topics.join())
    assert.equal((await store.keys.list(id)).length, 1)
  })
})
