import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { FinishedProgram } from '../../testing/command-line/printed.ts'
import { runHere } from '../../testing/command-line/run-here.ts'
import { fleetgate, temporaryFolder } from '../../testing/command-line/spawned.ts'

/** A failure then shows its stack trace, which holds no secret either. */
const DEBUG = { FLEETGATE_DEBUG: '1' }
Object.assign(process.env, DEBUG)

const SECRET = 'S3cret/pa55'
/** A closed port. */
const NOWHERE = '127.0.0.1:1'
const USER = `somebody:${SECRET}@`
const CODED = `somebody:${encodeURIComponent(SECRET)}@`

/** Commands that fail with a password or a key in a URL. `DIR` is a folder of their own. */
const FAILING: Record<string, string[]> = {
  'a geocoder with a user': ['serve', '--geocoder', `https://${CODED}geo.example`],
  'a geocoder with a user, badly written': ['serve', '--geocoder', `https://${USER}geo.example`],
  'a geocoder with a password alone': ['serve', '--geocoder', `https://:${SECRET}@geo.example`],
  'a geocoder of another scheme': ['serve', '--geocoder', `ftp://geo.example/?key=${SECRET}`],
  'a geocoder with a key behind #': ['serve', '--geocoder', `https://geo.example/#${SECRET}`],
  'a database that is not there': ['org', 'list', '--database', `postgres://${CODED}${NOWHERE}/x`],
  'a database, badly written': ['org', 'list', '--database', `postgres://${USER}h:99999/x`],
  'a database of another scheme': ['org', 'list', '--database', `mysql://${USER}${NOWHERE}/x`],
  'a database with a bad sslmode': [
    ...[
      'org',
      'list',
      '--database',
      `postgres://${CODED}${NOWHERE}/x?sslmode=bad&application_name=${SECRET}`,
    ],
  ],
  'a database without its flag': ['org', 'list', `postgres://${USER}${NOWHERE}/x`],
  'a database behind a mistyped flag': ['org', 'list', `--databse=postgres://${USER}${NOWHERE}/x`],
  'a database in place of a switch': ['org', 'list', `--json=postgres://${USER}${NOWHERE}/x`],
  'a database as a folder': ['org', 'list', '--data', `postgres://${USER}${NOWHERE}/x`],
  'a database in place of a command': [`postgres://${USER}${NOWHERE}/x`],
  'Redis and a replica': [
    ...[
      'serve',
      '--database',
      `postgres://${CODED}${NOWHERE}/x`,
      '--redis',
      `redis://${CODED}h:6379`,
    ],
    ...['--database-replica', `postgres://${CODED}${NOWHERE}/y`],
  ],
  'Redis, badly written': ['serve', '--redis', `redis://${USER}h:99999`],
  'a copy': ['copy', '--from', 'DIR/none', '--to', `postgres://${CODED}${NOWHERE}/x`],
  'a console URL with a path': ['serve', '--console-url', `https://${CODED}console.example/x`],
  'an API URL, badly written': ['serve', '--api-url', `https://${USER}api.example`],
  'map tiles without {z}': ['serve', '--map-tiles', `https://${CODED}t.example/?key=${SECRET}`],
  'a number': ['serve', '--port', `postgres://${USER}${NOWHERE}/x`],
  'a pull from an address of another scheme': [
    ...['pull', '--out', 'DIR', '--api-key', 'x', '--url', `ftp://${CODED}api.example`],
  ],
}

/** The secret as written, percent-encoded, and the half of it at which a parser might stop. */
const SHOWN = new RegExp(`S3cret|pa55|${encodeURIComponent(SECRET)}`)

describe('The secret in a URL is not printed', () => {
  for (const [what, args] of Object.entries(FAILING)) {
    it(`by ${what}`, async (t) => {
      const folder = await temporaryFolder(t)
      const given = args.map((arg) => arg.replace('DIR', folder))
      if (given[0] === 'serve') {
        given.push('--port', '0', '--feed-port', '0', '--admin-port', '0', '--data', folder)
      }
      for (const more of [[], ['--json']]) {
        assertHidden(await runHere([...given, ...more]))
      }
    })
  }

  it('by a whole process either', async () => {
    const args = ['org', 'list', '--database', `postgres://${CODED}${NOWHERE}/x`]
    assertHidden(await fleetgate(args, DEBUG))
  })
})

function assertHidden({ code, stdout, stderr }: FinishedProgram): void {
  assert.ok(code === 1 || code === 2, `${code}: ${stdout}${stderr}`)
  assert.match(stderr, /^fleetgate/)
  assert.doesNotMatch(stdout + stderr, SHOWN)
}
