import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runHere } from '../../testing/command-line/run-here.ts'
import { temporaryFolder } from '../../testing/command-line/spawned.ts'
import { OBJECT_DEFAULTS } from '../base/domain/monitored-object.ts'
import { ORGANIZATION_DEFAULTS } from '../base/domain/organization.ts'
import { openStore } from './compose.ts'

/** A text stored before such characters were rejected: it clears a screen, colors and reorders. */
const OLD = 'a\u001b[2J\u009b31m\u202eb\u200bc\r\nd'
const SHOWN = 'a⟨U+001B⟩[2J⟨U+009B⟩31m⟨U+202E⟩b⟨U+200B⟩c d'

test('no command prints characters that control a terminal or hide text', async (t) => {
  const data = ['--data', await fill(await temporaryFolder(t))]
  const org = ['--org', '1', ...data]
  const commands = [
    ['org', 'list', ...data],
    ['org', 'show', '1', ...data],
    ...['objects', 'geofences', 'routes', 'sites'].flatMap((kind) => [
      [kind, 'list', ...org],
      [kind, 'show', '1', ...org],
      [kind, 'delete', '1', ...org],
      [kind, 'delete', '1', '--yes', ...org],
    ]),
    ['key', 'list', ...org],
    ['org', 'delete', '1', ...data],
    ['org', 'delete', '1', '--yes', ...data],
  ]
  for (const command of commands) {
    const { stdout, stderr } = await runHere(command)
    const said = stdout + stderr
    assert.ok(said.includes(SHOWN), `${command.join(' ')}: ${JSON.stringify(said)}`)
    assert.doesNotMatch(said, /[^\P{C}\n]/u, command.join(' '))
  }
})

/** An organization whose items all have this name; returns the folder. */
async function fill(folder: string): Promise<string> {
  const store = await openStore({ folder })
  const now = Date.UTC(2026, 10, 20)
  const organization = { ...ORGANIZATION_DEFAULTS, name: OLD }
  const { id } = await store.organizations.create(organization, now)
  await store.objects.put(id, [{ ...OBJECT_DEFAULTS, name: OLD, ident: OLD }], now)
  const place = { name: OLD, description: OLD, color: null, icon: null, deviation: null }
  const line: [number, number][] = [
    [0, 0],
    [1, 0],
    [1, 1],
  ]
  await store.geofences.put(id, [{ ...place, coordinates: line }], now)
  await store.routes.put(id, [{ ...place, points: [], coordinates: [line] }], now)
  await store.sites.put(id, [{ ...place, latitude: 1, longitude: 1, radius: null }], now)
  const key = { hash: 'h', prefix: 'fg_live_a', lastFour: 'abcd', expiresAt: null }
  await store.keys.issue(id, { ...key, name: OLD }, now)
  await store.close()
  return folder
}
