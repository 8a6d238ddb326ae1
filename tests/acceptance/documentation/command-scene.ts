import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { readServe } from '../../../packages/server/src/run/serve/serve-command.ts'
import { ADMIN, PASSWORD, useLink } from '../harness/admin.ts'
import { inFolder } from '../harness/deployment.ts'
import { type Json, REPOSITORY } from '../harness/fleetgate.ts'
import { commandLine } from '../harness/make-fleet.ts'
import { postRows } from '../harness/sender.ts'
import type { Server } from '../harness/server.ts'
import { serveHere } from '../harness/server-here.ts'
import { temporaryFolder } from '../harness/temporary-folder.ts'

/** The ident and the address in the examples of the documents. */
const IDENT = '864301042977204'
const BOB = 'bob@example.com'
/** Two of the positions of the examples are not in, and records are derived once somebody has asked. */
const MAY_END_WITH_1 = /^import positions .*examples\/positions\.csv$|^records |^doctor /

const { jsonHere, runHere } = await commandLine()

export type Template = { folder: string; key: string; feedToken: string; token: string }

/** A running server with what the commands name, and ways to do what a page says. */
export type Scene = {
  /** Runs the command after `fleetgate`, or reads it if it is `serve`. Fails if it does. */
  run(text: string): Promise<void>
  /** Runs the lines of a block in a shell, where `curl` fails if the answer is an error. */
  ask(block: string): Promise<void>
  stop(): Promise<unknown>
}

/** A data folder with organizations 1 to 3, objects 1 to 3, 7 to 9 and 23, and five keys and three tokens of each kind in the first. */
export async function makeTemplate(): Promise<Template> {
  const folder = temporaryFolder()
  const run = (...args: string[]) => jsonHere([...args, '--data', folder])
  const inOne = (...args: string[]) => run(...args, '--org', '1')
  for (const name of ['One', 'Two', 'Three']) {
    await run('org', 'create', name, '--create-objects', '--maximum-age', '36500')
  }
  await run('org', 'update', '1', '--window-requests', '1000')
  const file = join(folder, 'objects.csv')
  const rows = [1, 2, 3, 7, 8, 9, 23].map((id) => `${id},van ${id},Van ${id}\n`)
  writeFileSync(file, `id,ident,name\n${rows.join('')}`)
  await inOne('import', 'objects', file)
  const issued = { key: '', feedToken: '', token: '' }
  for (let number = 1; number <= 5; number += 1) {
    issued.key = (await inOne('key', 'issue', '--name', 'any')).key
  }
  for (let number = 1; number <= 3; number += 1) {
    issued.feedToken = (await inOne('feed-token', 'issue', '--name', 'any')).token
    issued.token = (await run('token', 'issue', '--role', 'operator', '--name', 'any')).token
  }
  const sites = join(folder, 'sites.csv')
  writeFileSync(sites, 'id,name,latitude,longitude,radius\n3,Depot,41.4,2.17,100\n')
  await inOne('import', 'sites', sites)
  const route = {
    type: 'LineString',
    coordinates: [
      [2.1, 41.4],
      [2.2, 41.4],
    ],
  }
  const routes = join(folder, 'routes.geojson')
  writeFileSync(
    routes,
    JSON.stringify({ type: 'Feature', id: 1, properties: { name: 'Harbour' }, geometry: route }),
  )
  await inOne('import', 'routes', routes)
  for (const name of ['fuel_level', 'fuel_used', 'temp1', 'driver']) {
    await inOne('attributes', 'set', name, '--is-public')
  }
  return { folder, ...issued }
}

/** A position with names of attributes that no attribute shows. */
const OLD_NAMES = {
  ...{ ident: 'van 7', time_device: '2026-11-20T08:00:00Z', latitude: 41.4, longitude: 2.1 },
  attributes: { io500: 1, io501: 2 },
}

/** Opens a scene of its own for a page, on a copy of the template. */
export async function openScene(page: string, template: Template): Promise<Scene> {
  const { key, feedToken, token } = template
  const folder = temporaryFolder()
  cpSync(template.folder, folder, { recursive: true })
  const deployment = inFolder(folder)
  const run = (...args: string[]) => jsonHere([...args, ...deployment.args])
  if (page === 'docs/webhooks.md') await threeWebhooks(run)
  const serve = () => serveHere(deployment, ['--geocoder', 'off'])
  if (page === 'docs/operating/feeds.md') await waitingIdents(run, await serve())
  const server = await serve()
  const names = new Map([
    ['/var/lib/fleetgate', folder],
    ['/var/backups/fleetgate-2027-01-31', join(temporaryFolder(), 'backup')],
    ['examples/', join(REPOSITORY, 'examples/')],
    ['remove --org 1 driver', 'remove --org 1 driver --yes'],
    ['publish --org 1 --all', 'publish --org 1 --all --yes'],
    ['forget --org 1', 'forget --org 1 --yes'],
    ['--except driverUniqueId vin --yes', '--except fuel_used temp1'],
    [`--ident ${IDENT} --since`, "--ident 'van 7' --since"],
    // The page pipes it in.
    ['--value -', "--value 'A. Kaya'"],
  ])
  if (page === 'docs/importing.md') await savedMapping(run, names)
  const here = (text: string) =>
    [...names].reduce((before, [there, place]) => before.replaceAll(there, place), text)
  return {
    async run(text) {
      // A page makes the first account, so there must be no account before it.
      if (text.includes(BOB) && !names.has(BOB)) await makeBob(run, server.admin, names)
      // Earlier commands of the page publish all names.
      if (text.includes('forget')) await postRows(server.feed, feedToken, [OLD_NAMES])
      const words = wordsOf(here(text))
      if (words[0] === 'serve') return void readServe([...words.slice(1), ...serversOf(words)])
      const ownPlace = words.findIndex((word) => word === '--database' || word === '--data')
      if (ownPlace > 0) words.splice(ownPlace, 2)
      const { code, stderr } = await runHere([...words, ...deployment.args])
      if (code === 1 && MAY_END_WITH_1.test(text)) return
      assert.equal(code, 0, `${text}\n${stderr}`)
    },
    async ask(block) {
      const { setup } = await server.secrets()
      const script = block
        .replaceAll('fg_init_…', `${setup}`.split('#')[1] ?? '')
        .replaceAll(/^.*\bfleetgate .*$/gm, '')
        .replaceAll(/^\$? *duckdb .*$/gm, '')
        .replaceAll(/http:\/\/127\.0\.0\.1:7070|https:\/\/fleet\.example\.com/g, server.api)
        .replaceAll('http://127.0.0.1:7071', server.feed)
        .replaceAll('http://127.0.0.1:7072', server.admin)
        .replaceAll('fg_feed_…', feedToken)
        .replaceAll('fg_live_…', key)
      const env = {
        ...process.env,
        ...{ API: `${server.api}/public/v1`, KEY: key, FLEETGATE_API_KEY: key },
        ...{ ADMIN: server.admin + ADMIN, TOKEN: token },
      }
      const lines = ['set -e', 'curl() { command curl --fail -sS "$@"; }', script]
      await promisify(execFile)('bash', ['-c', lines.join('\n')], { cwd: temporaryFolder(), env })
    },
    stop: () => server.stop(),
  }
}

type Run = (...args: string[]) => Promise<Json>

async function threeWebhooks(run: Run): Promise<void> {
  for (let number = 1; number <= 3; number += 1) {
    await run('webhook', 'create', '--org', '1', '--url', 'https://192.0.2.1/fleet')
  }
}

/** Makes the account of Bob, with a session, and an invitation of somebody else. */
async function makeBob(run: Run, origin: string, names: Map<string, string>): Promise<void> {
  const invite = (email: string) => run('people', 'invite', email, '--role', 'viewer', '--org', '2')
  const { link } = await invite(BOB)
  await useLink(origin, link.split('#')[1]!, { name: 'Bob', password: PASSWORD })
  await run('people', 'roles', BOB, '--role', 'support')
  const [session] = await run('people', 'sessions', BOB)
  const { id } = await invite('eve@example.com')
  names.set(BOB, BOB).set('--end 7', `--end ${session.id}`).set('uninvite 3', `uninvite ${id}`)
}

async function savedMapping(run: Run, names: Map<string, string>): Promise<void> {
  const file = join(temporaryFolder(), 'july.csv')
  writeFileSync(file, `Grouping;Time;Latitude;Longitude\nvan 7;2026-07-13T08:00:00Z;48.1;11.5\n`)
  await run('import', 'positions', '--org', '1', '--map', 'ident=Grouping', file)
  const [{ id }] = await run('import', 'mappings', '--org', '1')
  names.set('81423940', id).set('july.csv', file)
}

/** Sends from two idents that no organization owns, so that they wait. */
async function waitingIdents(run: Run, server: Server): Promise<void> {
  const { token } = await run('routing', 'token', 'issue', '--name', 'Traccar')
  const rows = [IDENT, '864301042977205'].map((ident) => ({
    ...{ ident, time_device: '2026-11-20T09:00:00Z', latitude: 41.5, longitude: 2.25 },
  }))
  await postRows(server.feed, token, rows)
  // A server that ends writes the list.
  await server.stop()
}

/** Several processes need servers, which their page gives in the environment. */
function serversOf(words: string[]): string[] {
  if (!words.includes('--processes')) return []
  return ['--database', 'postgres://fleetgate@db/fleetgate', '--redis', 'redis://cache']
}

function wordsOf(text: string): string[] {
  return text.match(/'[^']*'|[^\s']+/g)!.map((word) => word.replaceAll("'", ''))
}
